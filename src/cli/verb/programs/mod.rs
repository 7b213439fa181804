//! Verbs for other programs: files that they read, and engines.

/// `granero compare`: agreement with the public Awari score database.
pub(super) mod compare;
/// `granero export`: a layer as a file.
pub(super) mod export;
/// `granero match`: two engines play each other.
pub(super) mod r#match;
/// `granero referee`: an engine's mistakes.
pub(super) mod referee;
/// `granero uci`: plays as an engine.
mod uci;

super::verbs! {
    Export(export),
    Compare(compare),
    Referee(referee),
    Match(r#match),
    Uci(uci),
}
