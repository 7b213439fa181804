//! The headers of answers: caching, security and other origins. And the files of the page.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use include_dir::{Dir, DirEntry, File};

use crate::server::{Answer, KNOWN, Server};

const BEYOND: &str = "/api/v1/abapa/position?p=4,4,4,4,4,4,4,4,4,4,4,4";

/// All kinds of answers.
const TARGETS: [&str; 13] = [
    "/",
    "/index.html",
    "/nothing",
    KNOWN,
    BEYOND,
    "/api/v1/abapa/position?p=x",
    "/api/v1/abapa/line?p=0,0,0,0,0,1,2,0,0,0,0,0",
    "/api/v1/abapa/batch",
    "/api/v1/abapa/stats",
    "/api/v1/tables",
    "/api/v1/openapi.json",
    "/healthz",
    "/metrics",
];

#[test]
fn security_headers_on_everything() {
    let server = Server::sample();
    for target in TARGETS {
        for method in ["GET", "HEAD", "POST", "OPTIONS"] {
            let answer = server.ask(method, target, &[], b"");
            let policy = answer.header("content-security-policy").unwrap();
            assert!(policy.starts_with("default-src 'none'; "), "{target}");
            assert!(policy.contains("frame-ancestors 'none'"));
            for part in policy.split("; ") {
                let mut words = part.split(' ');
                let name = words.next().unwrap();
                let allowed = |word| match word {
                    "'none'" | "'self'" => true,
                    "data:" => name == "img-src",
                    // The player.
                    "'wasm-unsafe-eval'" => name == "script-src",
                    _ => false,
                };
                assert!(words.all(allowed), "{part}");
            }
            for (name, value) in [
                ("x-content-type-options", "nosniff"),
                ("x-frame-options", "DENY"),
                ("referrer-policy", "no-referrer"),
                ("cross-origin-opener-policy", "same-origin"),
                ("cross-origin-resource-policy", "same-origin"),
            ] {
                assert_eq!(answer.header(name), Some(value), "{method} {target}");
            }
            assert!(answer.header("permissions-policy").is_some());
            assert_eq!(answer.header("access-control-allow-origin"), None);
            assert_eq!(answer.header("server"), None);
        }
    }
}

#[test]
fn known_values_may_be_kept_and_unknown_ones_may_not() {
    let server = Server::sample();
    let long = "public, max-age=86400";
    for (target, keep) in [
        (KNOWN, long),
        ("/api/v1/abapa/line?p=0,0,0,0,0,1,2,0,0,0,0,0", long),
        ("/api/v1/abapa/position?p=0,0,0,0,0,0,0,0,0,0,0,0", long),
        (BEYOND, "no-cache"),
        ("/api/v1/abapa/line?p=4,4,4,4,4,4,4,4,4,4,4,4", "no-cache"),
        (
            "/api/v1/awari/position?p=0,0,0,0,0,1,2,0,0,0,0,0",
            "no-cache",
        ),
        ("/api/v1/tables", "no-cache"),
        ("/api/v1/abapa/stats", "no-cache"),
        ("/api/v1/openapi.json", "no-cache"),
        ("/", "no-cache"),
    ] {
        let answer = server.get(target);
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("cache-control"), Some(keep), "{target}");
        let etag = answer.header("etag").unwrap().to_string();
        assert!(etag.starts_with('"') && etag.ends_with('"') && etag.len() > 10);
        // A client that has the answer gets no body.
        for header in [
            format!("If-None-Match: {etag}"),
            format!("If-None-Match: \"x\", W/{etag}"),
            format!("If-None-Match: \"x\"\r\nIf-None-Match: {etag}"),
            "If-None-Match: *".into(),
        ] {
            for method in ["GET", "HEAD"] {
                let again = server.ask(method, target, &[&header], b"");
                assert_eq!(again.status, 304, "{target} {header}");
                assert!(again.body.is_empty());
                assert_eq!(again.header("etag"), Some(&*etag));
                assert_eq!(again.header("cache-control"), Some(keep));
            }
        }
        let others = &["If-None-Match: \"x\", W/*, \"y"];
        let other = server.ask("GET", target, others, b"");
        assert_eq!((other.status, other.body), (200, answer.body));
    }
}

#[test]
fn the_tag_depends_on_the_tables() {
    let tag = |seeds| {
        let server = Server::built(seeds);
        server.get(KNOWN).header("etag").unwrap().to_string()
    };
    assert_eq!(tag(4), tag(4));
    assert_ne!(tag(4), tag(5));
}

#[test]
fn head_is_get_without_the_body() {
    let server = Server::sample();
    for target in TARGETS {
        // Its numbers change with each request.
        if target == "/metrics" {
            continue;
        }
        let without_date = |mut answer: Answer| {
            answer.headers.remove("date");
            answer
        };
        let get = without_date(server.get(target));
        let mut client = server.client();
        let head = without_date(client.ask("HEAD", target, &[], b""));
        assert_eq!(
            (head.status, &head.headers),
            (get.status, &get.headers),
            "{target}"
        );
        let length = get.header("content-length").unwrap();
        assert_eq!(length, get.body.len().to_string());
        // The connection goes on with the next answer.
        assert_eq!(client.get("/healthz").status, 200);
    }
}

#[test]
fn every_file_of_the_page_is_served_as_it_is() {
    let server = Server::sample();
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../serve/web");
    let mut files = BTreeSet::new();
    let mut directories = vec![web.clone()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                files.insert(path);
            }
        }
    }
    for file in &files {
        let path = file.strip_prefix(&web).unwrap().to_str().unwrap();
        let answer = server.get(&format!("/{}", path.replace('\\', "/")));
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.body, fs::read(file).unwrap(), "{path}");
        let kind = answer.header("content-type").unwrap();
        let expected = match path.rsplit_once('.').unwrap().1 {
            "html" => "text/html",
            "css" => "text/css",
            "js" => "text/javascript",
            "svg" => "image/svg+xml",
            _ => "",
        };
        assert!(kind.starts_with(expected), "{path}: {kind}");
    }
    let page = server.get("/");
    assert_eq!(page.body, fs::read(web.join("index.html")).unwrap());
    assert_eq!(server.get("/?p=0,1#x").body, page.body);
}

/// An editor leaves other files beside those of a page.
#[test]
fn only_files_of_known_types_are_served() {
    static FOLDER: Dir<'_> = Dir::new(
        "",
        &[
            DirEntry::File(File::new("main.js", b"")),
            DirEntry::File(File::new("main.js~", b"")),
            DirEntry::File(File::new(".main.js.swp", b"")),
            DirEntry::File(File::new("notes", b"")),
            DirEntry::File(File::new("page.js.orig", b"")),
        ],
    );
    let files = granero_serve::page::files_of(&FOLDER);
    assert!(files.into_keys().eq(["main.js"]));
}
