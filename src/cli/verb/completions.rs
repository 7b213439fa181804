//! `granero completions`: completion scripts for shells.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::Cli;

/// Print a script that lets a shell complete granero's verbs and options
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  granero completions bash > ~/.local/share/bash-completion/completions/granero
  granero completions zsh > ~/.zfunc/_granero
  granero completions fish > ~/.config/fish/completions/granero.fish")]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> String {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "granero", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}
