//! The list of the endpoints, and what is the same for all of them.

use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use axum::extract::Request;
use axum::handler::Handler;
use axum::http::header::{self, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{self, MethodRouter};
use axum::{Router, body::HttpBody};

use tower_service::Service as _;

use crate::connection::Connection;
use crate::endpoints;
use crate::judge;
use crate::log;
use crate::metrics::METRICS;
use crate::openapi;
use crate::page;
use crate::problem::Problem;
use crate::reply::{self, NEVER, Reply};
use crate::site::Site;

/// The names of the endpoints in the metrics, besides `page`.
const ROUTES: &str = "tables openapi position prove line stats batch judge healthz metrics";

/// Finds the endpoint of a request.
fn router(site: Arc<Site>) -> Router {
    let openapi = Reply::json(&openapi::document()).fixed();
    let mut router = Router::new()
        .route("/api/v1/tables", get(endpoints::tables))
        .route("/api/v1/openapi.json", get(move || ready(openapi.clone())))
        .route("/api/v1/{rules}/position", get(endpoints::position))
        .route("/api/v1/{rules}/prove", get(endpoints::prove))
        .route("/api/v1/{rules}/line", get(endpoints::line))
        .route("/api/v1/{rules}/stats", get(endpoints::statistics))
        .route("/api/v1/{rules}/batch", post(endpoints::batch))
        .route("/api/v1/{rules}/judge", post(judge::answer))
        .route("/healthz", get(endpoints::health))
        .route("/metrics", get(endpoints::counts));
    for (path, contents) in page::files() {
        let reply = Reply::new(page::kind(&path).unwrap_or_default(), contents).fixed();
        let answer = get(move || ready(reply.clone()));
        if path == "index.html" {
            router = router.route("/", answer.clone());
        }
        router = router.route(&format!("/{path}"), answer);
    }
    router
        .fallback(async |uri: Uri| Problem::not_found(uri.path()))
        .with_state(site)
}

type Endpoint = MethodRouter<Arc<Site>, Infallible>;

fn get<T: 'static>(answer: impl Handler<T, Arc<Site>>) -> Endpoint {
    others(routing::get(answer), "GET, HEAD, OPTIONS")
}

fn post<T: 'static>(answer: impl Handler<T, Arc<Site>>) -> Endpoint {
    others(routing::post(answer), "POST, OPTIONS")
}

/// Answers the other methods.
fn others(endpoint: Endpoint, allow: &'static str) -> Endpoint {
    let header = [(header::ALLOW, allow)];
    let never = [(header::CACHE_CONTROL, NEVER)];
    let options = (StatusCode::NO_CONTENT, header.clone(), never);
    endpoint
        .options(move || ready(options.clone()))
        .fallback(move || ready((header.clone(), Problem::method_not_allowed(allow))))
}

/// Answers requests.
#[derive(Clone)]
pub(crate) struct Service {
    site: Arc<Site>,
    router: Router,
}

impl Service {
    pub(crate) fn new(site: Arc<Site>) -> Service {
        let router = router(Arc::clone(&site));
        Service { site, router }
    }

    /// Checks a request, has it answered, counts it, and completes the answer.
    pub(crate) async fn answer(
        &self,
        connection: &Arc<Connection>,
        request: Request,
    ) -> Result<Response, Infallible> {
        let begin = Instant::now();
        let route = route(request.uri().path());
        let has_body = !request.body().is_end_stream();
        let (mut head, body) = request.into_parts();
        let asked = head.clone();
        let checked = self.site.hosts.check(&head);
        let mut response = match checked.and_then(|()| check_coding(&head.headers)) {
            Ok(()) => {
                head.extensions.insert(Arc::clone(connection));
                let mut router = self.router.clone();
                router.call(Request::from_parts(head, body)).await?
            }
            Err(problem) => problem.into_response(),
        };
        // Pages of other sites may not read the metrics.
        let cors = self.site.cors && route != "metrics";
        reply::complete(&mut response, &asked.headers, cors);
        if has_body && (asked.method != Method::POST || response.status() != StatusCode::OK) {
            // hyper skips an unwanted body, and takes the next request before this answer is sent:
            // answers would pile up here for a client that does not read.
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
            connection.leaves_body.store(true, Relaxed);
        }
        let (status, time) = (response.status(), begin.elapsed());
        let requests = &METRICS.requests;
        requests.with_label_values(&[route, status.as_str()]).inc();
        let seconds = METRICS.seconds.with_label_values(&[route]);
        seconds.observe(time.as_secs_f64());
        log::request(connection.address, &asked, status, time);
        connection.set_waiting(true);
        Ok(response)
    }
}

/// Returns the name of the endpoint with a path like this for the metrics.
fn route(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or_default();
    let name = name.trim_end_matches(".json");
    let mut routes = ROUTES.split(' ');
    routes.find(|route| *route == name).unwrap_or("page")
}

/// Checks that a body has no encoding on its way besides chunks, which hyper would ignore.
fn check_coding(headers: &HeaderMap) -> Result<(), Problem> {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    match (codings.next(), codings.next()) {
        (None, _) => Ok(()),
        (Some(one), None) if one.as_bytes().eq_ignore_ascii_case(b"chunked") => Ok(()),
        _ => Err(Problem::transfer_coding()),
    }
}
