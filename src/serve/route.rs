//! The meaning of a path.

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route<'a> {
    /// The page and its files.
    Page,
    Tables,
    /// Those with the name of a ruleset.
    Position(&'a str),
    Proof(&'a str),
    Line(&'a str),
    Batch(&'a str),
    Judgement(&'a str),
    Statistics(&'a str),
    OpenApi,
    Health,
    Metrics,
}

impl<'a> Route<'a> {
    /// Their names, in the order of [`number`](Route::number).
    pub(super) const NAMES: [&'static str; 11] = [
        "page", "tables", "position", "line", "batch", "stats", "openapi", "healthz", "metrics",
        "prove", "judge",
    ];

    pub(super) fn of(path: &'a str) -> Route<'a> {
        let Some(path) = path.strip_prefix("/api/v1/") else {
            return match path {
                "/healthz" => Route::Health,
                "/metrics" => Route::Metrics,
                _ => Route::Page,
            };
        };
        match path.split_once('/') {
            None if path == "tables" => Route::Tables,
            None if path == "openapi.json" => Route::OpenApi,
            Some((rules, "position")) => Route::Position(rules),
            Some((rules, "prove")) => Route::Proof(rules),
            Some((rules, "line")) => Route::Line(rules),
            Some((rules, "batch")) => Route::Batch(rules),
            Some((rules, "judge")) => Route::Judgement(rules),
            Some((rules, "stats")) => Route::Statistics(rules),
            // No file of the page is here.
            _ => Route::Page,
        }
    }

    pub(super) fn number(&self) -> usize {
        match self {
            Route::Page => 0,
            Route::Tables => 1,
            Route::Position(_) => 2,
            Route::Line(_) => 3,
            Route::Batch(_) => 4,
            Route::Statistics(_) => 5,
            Route::OpenApi => 6,
            Route::Health => 7,
            Route::Metrics => 8,
            Route::Proof(_) => 9,
            Route::Judgement(_) => 10,
        }
    }

    /// Whether a request has a body.
    pub(super) fn takes_body(&self) -> bool {
        matches!(self, Route::Batch(_) | Route::Judgement(_))
    }

    /// The methods that can be used, as the header `Allow` has them.
    pub(super) fn methods(&self) -> &'static str {
        match self.takes_body() {
            true => "POST, OPTIONS",
            false => "GET, HEAD, OPTIONS",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for (path, route) in [
            ("/", Route::Page),
            ("/healthz", Route::Health),
            ("/api/v1/tables", Route::Tables),
            ("/api/v1/tables/", Route::Page),
            ("/api/v1/abapa/position", Route::Position("abapa")),
            ("/api/v1//position", Route::Position("")),
            ("/api/v1/a/b/position", Route::Page),
            ("/api/v1/abapa/position/", Route::Page),
            ("/api/v2/tables", Route::Page),
            ("", Route::Page),
            ("*", Route::Page),
        ] {
            assert_eq!(Route::of(path), route, "{path}");
        }
    }

    #[test]
    fn numbers_and_names_belong_together() {
        for (path, name) in [
            ("/", "page"),
            ("/api/v1/tables", "tables"),
            ("/api/v1/x/position", "position"),
            ("/api/v1/x/line", "line"),
            ("/api/v1/x/batch", "batch"),
            ("/api/v1/x/stats", "stats"),
            ("/api/v1/openapi.json", "openapi"),
            ("/healthz", "healthz"),
            ("/metrics", "metrics"),
            ("/api/v1/x/prove", "prove"),
            ("/api/v1/x/judge", "judge"),
        ] {
            assert_eq!(Route::NAMES[Route::of(path).number()], name);
        }
    }
}
