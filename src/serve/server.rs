//! Takes a request to its endpoint, and the answer back.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

use http_body_util::{Either, Full};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Request, Response};

use crate::connection::{Activity, Connection, Connections};
use crate::endpoint::batch_lines::{LineBatch, LineBatches};
use crate::endpoint::metrics::Metrics;
use crate::endpoint::page::Page;
use crate::endpoint::statistics::KnownCaptures;
use crate::endpoint::{Action, OPENAPI, Route};
use crate::limits::{self, Gate, LARGE, Permits, READERS, Searches};
use crate::log::Log;
use crate::reply::{self, Reply};
use crate::request::Hosts;
use crate::tables::{Catalogue, CurrentCatalogue};

/// Everything that requests need.
pub(crate) struct Server {
    pub(crate) current: Arc<CurrentCatalogue>,
    /// Admits look-ups of positions in files.
    pub(crate) files: Gate,
    /// Admits work that keeps a processor busy.
    pub(crate) work: Gate,
    pub(crate) searches: Searches,
    /// Permits for large incoming bodies, which bound memory however slowly clients write. They are
    /// apart from those for answers, so that a client that writes slowly delays no answer.
    pub(crate) bodies: Arc<Permits>,
    pub(crate) line_batches: Arc<LineBatches>,
    /// Permits for large answers, held until they are sent.
    pub(crate) answers: Arc<Permits>,
    pub(crate) captures: Arc<KnownCaptures>,
    pub(crate) page: Page,
    pub(crate) openapi: Reply,
    pub(crate) metrics: Metrics,
    pub(crate) connections: Arc<Connections>,
    pub(crate) hosts: Hosts,
    pub(crate) cors: bool,
    pub(crate) log: Arc<Log>,
}

/// A response whose body is complete, or made while it is sent.
type Sent = Response<Either<Full<Bytes>, LineBatch>>;

/// The result of an endpoint.
pub(crate) enum Answered {
    Whole(Reply),
    Lines(LineBatch),
}

impl Answered {
    fn to(self, request: &HeaderMap, cors: bool) -> Sent {
        match self {
            Answered::Whole(reply) => reply.to(request, cors).map(Either::Left),
            Answered::Lines(lines) => {
                let head = Reply::new(reply::TSV, "").to(request, cors);
                head.map(|_| Either::Right(lines))
            }
        }
    }
}

impl Server {
    pub(crate) fn new(
        catalogue: Catalogue,
        searches: Searches,
        connections: Connections,
        hosts: Hosts,
        cors: bool,
        log: Arc<Log>,
    ) -> Server {
        let current = CurrentCatalogue::new(catalogue);
        let metrics = Metrics::default();
        let positions = Arc::clone(&metrics.positions);
        Server {
            line_batches: LineBatches::new(Arc::clone(&current), positions, Arc::clone(&log)),
            current,
            files: Gate::new(READERS),
            work: Gate::new(limits::workers()),
            searches,
            bodies: Permits::new(LARGE),
            answers: Permits::new(LARGE),
            captures: Arc::default(),
            page: Page::new(),
            openapi: Reply::fixed(reply::JSON, OPENAPI),
            metrics,
            connections: Arc::new(connections),
            hosts,
            cors,
            log,
        }
    }

    /// Answers a request.
    pub(crate) async fn serve(
        &self,
        connection: &Arc<Connection>,
        request: Request<Incoming>,
    ) -> Result<Sent, Infallible> {
        let begin = Instant::now();
        connection.set(Activity::Answering);
        let (head, incoming) = request.into_parts();
        let route = Route::of(head.uri.path());
        let mut body = Some(incoming);
        let result = self.answer(&route, connection, &head, &mut body).await;
        let answered = result.unwrap_or_else(|problem| {
            if let Some(error) = &problem.cause {
                self.log.complain_about_tables(error);
            }
            Answered::Whole(problem.into())
        });
        // Pages of other sites may not read the metrics.
        let cors = self.cors && route.endpoint.action != Action::Metrics;
        let mut sent = answered.to(&head.headers, cors);
        if body.is_some_and(|body| !body.is_end_stream()) {
            // hyper skips an unwanted body, and takes the next request before this answer is sent:
            // answers would pile up here for a client that does not read.
            let close = HeaderValue::from_static("close");
            sent.headers_mut().insert(header::CONNECTION, close);
        }
        let time = begin.elapsed();
        self.metrics.count(route.endpoint, sent.status(), time);
        self.log.request(
            connection.address,
            &head.method,
            &head.uri,
            sent.status(),
            time,
        );
        connection.set(Activity::SendingAnswer);
        Ok(sent)
    }
}
