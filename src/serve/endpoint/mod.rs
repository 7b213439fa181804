//! The endpoints: one list for the router, the allowed methods and the metrics. A test holds
//! `openapi.json` and `docs/http-api.md` to it.
//!
//! * `batch`: many positions, in JSON;
//! * `batch_lines`: any number of positions, as lines of text;
//! * `judge`: the moves of a game;
//! * `line`: the best line from a position;
//! * `metrics`: counters for Prometheus;
//! * `page`: the files of the explorer;
//! * `position`: a position and each of its moves;
//! * `prove`: a position beyond the tables, as far as a search can prove it;
//! * `statistics`: all layers in numbers;
//! * `tables`: the tables, rulesets and limits of this server.

pub(crate) mod batch;
pub(crate) mod batch_lines;
pub(crate) mod judge;
pub(crate) mod line;
pub(crate) mod metrics;
pub mod page;
pub(crate) mod position;
pub(crate) mod prove;
pub(crate) mod statistics;
pub(crate) mod tables;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use granero::notation::PositionText;
use granero::{Cycles, Ruleset};
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::{Method, Version};
use serde_json::json;

use crate::connection::Connection;
use crate::limits::{BATCH_BYTES, GAME_BYTES};
use crate::reply::{Problem, Reply};
use crate::request::{Allowed, BodyType, Parameters, body};
use crate::server::{Answered, Server};
use crate::tables::TableSet;

/// An endpoint. To add one, add it to [`Action`], to [`ENDPOINTS`] and to [`Server::answer`].
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) action: Action,
    /// The label of its metrics.
    name: &'static str,
    /// The allowed methods, as the header `Allow` lists them.
    methods: &'static str,
    /// The path; `{rules}` stands for any name.
    path: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Page,
    Tables,
    Position,
    Line,
    Batch,
    Statistics,
    OpenApi,
    Health,
    Metrics,
    Prove,
    Judge,
}

/// The description of all endpoints but the page.
pub(crate) const OPENAPI: &str = include_str!("../openapi.json");

const GET: &str = "GET, HEAD, OPTIONS";
const POST: &str = "POST, OPTIONS";

/// All endpoints, in the order of [`Action`], which is the order of the metrics.
#[rustfmt::skip]
static ENDPOINTS: [Endpoint; 11] = [
    Endpoint { action: Action::Page, name: "page", methods: GET, path: "/" },
    Endpoint { action: Action::Tables, name: "tables", methods: GET, path: "/api/v1/tables" },
    Endpoint { action: Action::Position, name: "position", methods: GET, path: "/api/v1/{rules}/position" },
    Endpoint { action: Action::Line, name: "line", methods: GET, path: "/api/v1/{rules}/line" },
    Endpoint { action: Action::Batch, name: "batch", methods: POST, path: "/api/v1/{rules}/batch" },
    Endpoint { action: Action::Statistics, name: "stats", methods: GET, path: "/api/v1/{rules}/stats" },
    Endpoint { action: Action::OpenApi, name: "openapi", methods: GET, path: "/api/v1/openapi.json" },
    Endpoint { action: Action::Health, name: "healthz", methods: GET, path: "/healthz" },
    Endpoint { action: Action::Metrics, name: "metrics", methods: GET, path: "/metrics" },
    Endpoint { action: Action::Prove, name: "prove", methods: GET, path: "/api/v1/{rules}/prove" },
    Endpoint { action: Action::Judge, name: "judge", methods: POST, path: "/api/v1/{rules}/judge" },
];

/// The endpoint that a path leads to.
#[derive(Debug)]
pub(crate) struct Route<'a> {
    pub(crate) endpoint: &'static Endpoint,
    /// The part of the path for `{rules}`, if there is one.
    rules: &'a str,
}

impl<'a> Route<'a> {
    /// Finds the endpoint of a path. Every path without one of its own leads to the page.
    pub(crate) fn of(path: &'a str) -> Route<'a> {
        let route = ENDPOINTS.iter().find_map(|endpoint| {
            let rules = endpoint.rules(path)?;
            Some(Route { endpoint, rules })
        });
        route.unwrap_or(Route {
            endpoint: &ENDPOINTS[Action::Page as usize],
            rules: "",
        })
    }
}

impl Endpoint {
    /// The part of a path of this endpoint for `{rules}`, empty if it has none; `None` for paths
    /// of other endpoints.
    fn rules<'a>(&self, path: &'a str) -> Option<&'a str> {
        match self.path.split_once("{rules}") {
            Some((before, after)) => {
                let rules = path.strip_prefix(before)?.strip_suffix(after)?;
                (!rules.contains('/')).then_some(rules)
            }
            None => (path == self.path).then_some(""),
        }
    }

    fn allows(&self, method: &Method) -> bool {
        self.methods.split(", ").any(|allowed| method == allowed)
    }
}

impl Server {
    /// Answers a request. Takes the body if it is read to its end.
    pub(crate) async fn answer(
        &self,
        route: &Route<'_>,
        connection: &Arc<Connection>,
        head: &Parts,
        body: &mut Option<Incoming>,
    ) -> Result<Answered, Problem> {
        self.hosts.check_host(head)?;
        let path = head.uri.path();
        let file = self.page.get(path);
        let Route { endpoint, rules } = route;
        // A file that does not exist has no methods.
        if endpoint.action == Action::Page && file.is_none() {
            return Err(Problem::not_found(path));
        }
        if !endpoint.allows(&head.method) {
            return Err(Problem::method_not_allowed(endpoint.methods));
        }
        if head.method == Method::OPTIONS {
            return Ok(Answered::Whole(Reply::options(endpoint.methods)));
        }
        let parameters = |allowed| Parameters::parse(head.uri.query(), allowed);
        let tables = || -> Result<(Ruleset, Option<Cycles>), Problem> {
            Ok((rules.parse()?, parameters(Allowed::Tables)?.cycles()?))
        };
        let position =
            |allowed| -> Result<(PositionText, Option<Duration>, Arc<TableSet>), Problem> {
                let rules = rules.parse()?;
                let parameters = parameters(allowed)?;
                let (text, time) = (parameters.position()?, parameters.time()?);
                Ok((text, time, self.current.set(rules, parameters.cycles()?)))
            };
        let asked_for = |positions: usize| {
            let count = &self.metrics.positions;
            count.fetch_add(positions as u64, Ordering::Relaxed);
        };
        let reply = match endpoint.action {
            Action::Page => file.cloned().ok_or_else(|| Problem::not_found(path)),
            Action::Health => {
                let tables = self.current.catalogue().existing().count();
                Ok(Reply::json(&json!({ "status": "ok", "tables": tables })))
            }
            Action::Metrics => Ok(metrics::answer(self)),
            Action::OpenApi => Ok(self.openapi.clone()),
            Action::Tables => {
                let catalogue = self.current.catalogue();
                Ok(tables::answer(&catalogue, self.searches.longest))
            }
            Action::Position => {
                let (text, _, set) = position(Allowed::Position)?;
                asked_for(1);
                position::answer(&set, text, &self.files, connection).await
            }
            Action::Prove => {
                let (text, time, set) = position(Allowed::Search)?;
                asked_for(1);
                let searches = &self.searches;
                prove::answer(&set, text, time, searches, &self.files, connection).await
            }
            Action::Line => {
                let rules = rules.parse()?;
                let parameters = parameters(Allowed::Search)?;
                let text = parameters.position()?;
                let time = match parameters.time()? {
                    None => None,
                    asked => self.searches.time(asked)?,
                };
                let set = self.current.set(rules, parameters.cycles()?);
                let reply = match time.filter(|_| line::is_beyond(&set, &text)) {
                    Some(time) => line::prove(&set, text, time, &self.searches, connection).await?,
                    None => line::find(&set, text, &self.work, connection).await?,
                };
                reply.with_permit(|| self.answers.take(connection.counted_peer()))
            }
            Action::Batch => {
                let body_type = self.hosts.check_body(&head.headers, self.cors)?;
                if body_type == BodyType::Other {
                    return Err(Problem::not_a_batch());
                }
                let (rules, cycles) = tables()?;
                if body_type == BodyType::Lines {
                    if head.version < Version::HTTP_11 {
                        return Err(Problem::old_http());
                    }
                    let lines = self.line_batches.begin(connection, (rules, cycles), body);
                    return Ok(Answered::Lines(lines.await?));
                }
                let most = (BATCH_BYTES, "positions");
                let body = body::read(most, &self.bodies, connection, &head.headers, body);
                let body = body.await?;
                // Not earlier: no new tables are opened while a request holds the former ones.
                let set = self.current.set(rules, cycles);
                let batch = batch::answer(&set, connection, body, &self.work, &self.answers);
                let (reply, positions) = batch.await?;
                asked_for(positions);
                Ok(reply)
            }
            Action::Judge => {
                if self.hosts.check_body(&head.headers, self.cors)? != BodyType::Json {
                    return Err(Problem::unsupported_media_type());
                }
                let rules = rules.parse()?;
                let parameters = parameters(Allowed::Time)?;
                let cycles = parameters.cycles()?;
                let time = match parameters.time()? {
                    None => None,
                    asked => self.searches.time(asked)?,
                };
                let most = (GAME_BYTES, "games");
                let body = body::read(most, &self.bodies, connection, &head.headers, body);
                let body = body.await?;
                let set = self.current.set(rules, cycles);
                let gates = (&self.work, &self.answers);
                judge::answer(&set, connection, body, time, &self.searches, gates).await
            }
            Action::Statistics => {
                let (rules, cycles) = tables()?;
                let set = self.current.set(rules, cycles);
                statistics::answer(&set, &self.captures, &self.work, connection).await
            }
        };
        reply.map(Answered::Whole)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value as Json;

    use super::*;

    #[test]
    fn all_descriptions_have_all_endpoints() {
        let openapi: Json = serde_json::from_str(OPENAPI).unwrap();
        let mut described = openapi["paths"].as_object().unwrap().clone();
        let page = include_str!("../../../docs/http-api.md");
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
        let rows = rows.filter_map(|row| row.split(['`', '?']).next());
        let mut rows: BTreeSet<&str> = rows.filter(|row| row.contains(" /")).collect();
        for (place, endpoint) in ENDPOINTS.iter().enumerate() {
            assert_eq!(endpoint.action as usize, place, "{endpoint:?}");
            let (method, path) = (endpoint.methods.split(',').next().unwrap(), endpoint.path);
            let row = format!("{method} {path}");
            assert!(
                rows.remove(&*row),
                "{row} is not in the table of docs/http-api.md"
            );
            // It is for programs.
            if endpoint.action != Action::Page {
                let operations = described.remove(path).unwrap_or_default();
                let operation = &operations[method.to_lowercase()];
                assert!(operation.is_object(), "{row} is not in openapi.json");
            }
        }
        assert!(rows.is_empty(), "docs/http-api.md: {rows:?} lead nowhere");
        assert!(
            described.is_empty(),
            "openapi.json: {described:?} lead nowhere"
        );
    }
}
