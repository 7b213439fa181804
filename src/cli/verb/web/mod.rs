//! Verbs for browsers.

/// `granero site`: the page and the tables as a folder.
mod site;

use granero_serve as serve;

super::verbs! {
    Serve(serve),
    Site(site),
}
