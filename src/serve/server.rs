//! How a request is answered.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use http_body_util::{Either, Full};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, Request, Response, Version};

use crate::batch::Batches;
use crate::gate::Gate;
use crate::guests::{Guest, Guests};
use crate::hosts::{Hosts, Kind};
use crate::limits::{self, BATCH_BYTES, GAME_BYTES, LARGE, READERS};
use crate::lines::{LineBatch, LineBatches};
use crate::log::Log;
use crate::metrics::Metrics;
use crate::page::Page;
use crate::parameters::{Known, Parameters};
use crate::problem::Problem;
use crate::reply::{self, Reply};
use crate::route::Route;
use crate::searches::Searches;
use crate::shares::Shares;
use crate::shelf::{Present, Shelf};
use crate::{catalogue, judge, line, position, prove, statistics};
use granero_answer::document::HealthDocument;

const OPENAPI: &str = include_str!("openapi.json");

/// Everything that requests need.
pub(super) struct Server {
    present: Arc<Present>,
    /// For positions that have to be looked up in files.
    files: Gate,
    /// For work that keeps a processor busy.
    work: Gate,
    searches: Searches,
    batches: Batches,
    lines: Arc<LineBatches>,
    /// Places for large answers until they are sent.
    answers: Arc<Shares>,
    found: Arc<statistics::Found>,
    page: Page,
    openapi: Reply,
    pub(super) metrics: Metrics,
    pub(super) guests: Arc<Guests>,
    hosts: Hosts,
    cors: bool,
    pub(super) log: Arc<Log>,
}

/// What is sent to a client: all that there is, or what is made meanwhile.
type Sent = Response<Either<Full<Bytes>, LineBatch>>;

/// What a request gets.
enum Answer {
    Whole(Reply),
    Lines(LineBatch),
}

impl Answer {
    /// The answer to a request with these headers.
    fn to(self, request: &HeaderMap, cors: bool) -> Sent {
        match self {
            Answer::Whole(reply) => reply.to(request, cors).map(Either::Left),
            Answer::Lines(lines) => {
                let head = Reply::lines().to(request, cors);
                head.map(|_| Either::Right(lines))
            }
        }
    }
}

impl Server {
    pub(super) fn new(
        shelf: Shelf,
        searches: Searches,
        guests: Guests,
        hosts: Hosts,
        cors: bool,
        log: Arc<Log>,
    ) -> Server {
        let answers = Shares::new(LARGE);
        let present = Present::new(shelf);
        let metrics = Metrics::default();
        let positions = Arc::clone(&metrics.positions);
        Server {
            lines: LineBatches::new(Arc::clone(&present), positions, Arc::clone(&log)),
            present,
            files: Gate::new(READERS),
            work: Gate::new(limits::workers()),
            searches,
            batches: Batches::new(Arc::clone(&answers)),
            answers,
            found: Arc::default(),
            page: Page::new(),
            openapi: Reply::fixed(reply::JSON, OPENAPI),
            metrics,
            guests: Arc::new(guests),
            hosts,
            cors,
            log,
        }
    }

    /// Serves other tables from now on, and returns the former ones. Requests in progress keep
    /// those.
    pub(super) fn replace(&self, shelf: Shelf) -> Arc<Shelf> {
        self.present.replace(shelf)
    }

    /// Answers a request.
    pub(super) async fn serve(
        &self,
        guest: &Arc<Guest>,
        request: Request<Incoming>,
    ) -> Result<Sent, Infallible> {
        let begin = Instant::now();
        guest.asks();
        let (head, body) = request.into_parts();
        let route = Route::of(head.uri.path());
        let mut body = Some(body);
        let answer = self.answer(&route, guest, &head, &mut body).await;
        let answer = answer.unwrap_or_else(|problem| {
            if let Some(error) = &problem.cause {
                self.log.complain_about_tables(error);
            }
            Answer::Whole(problem.into())
        });
        // Other pages may not ask what the server does.
        let cors = self.cors && route != Route::Metrics;
        let mut sent = answer.to(&head.headers, cors);
        if body.is_some_and(|body| !body.is_end_stream()) {
            // hyper skips an unwanted body, and takes the next request before this answer is sent:
            // answers would pile up here for a client that does not read.
            let close = HeaderValue::from_static("close");
            sent.headers_mut().insert(header::CONNECTION, close);
        }
        let time = begin.elapsed();
        self.metrics.count(&route, sent.status(), time);
        self.log
            .request(guest.address, &head.method, &head.uri, sent.status(), time);
        guest.is_answered();
        Ok(sent)
    }

    /// The answer to a request. A body that was read to its end is taken.
    async fn answer(
        &self,
        route: &Route<'_>,
        guest: &Arc<Guest>,
        head: &hyper::http::request::Parts,
        body: &mut Option<Incoming>,
    ) -> Result<Answer, Problem> {
        self.hosts.check_host(head)?;
        let path = head.uri.path();
        let file = self.page.get(path);
        // A file that does not exist has no methods.
        if *route == Route::Page && file.is_none() {
            return Err(Problem::not_found(path));
        }
        let allowed = match head.method {
            Method::OPTIONS => return Ok(Answer::Whole(Reply::options(route.methods()))),
            Method::GET | Method::HEAD => !route.takes_body(),
            Method::POST => route.takes_body(),
            _ => false,
        };
        if !allowed {
            return Err(Problem::method_not_allowed(route.methods()));
        }
        let parameters = |known| Parameters::parse(head.uri.query(), known);
        let reply = match *route {
            Route::Page => file.cloned().ok_or_else(|| Problem::not_found(path)),
            Route::Health => Ok(Reply::json(&HealthDocument::OK)),
            Route::Metrics => {
                let (guests, log, searches) = (&self.guests, &self.log, &self.searches);
                let text = self
                    .metrics
                    .write(guests, log, searches, &self.present.shelf());
                Ok(Reply::metrics(text))
            }
            Route::OpenApi => Ok(self.openapi.clone()),
            Route::Tables => Ok(catalogue::answer(
                &self.present.shelf(),
                self.searches.longest(),
            )),
            Route::Position(rules) => {
                let rules = rules.parse()?;
                let parameters = parameters(Known::Position)?;
                let text = parameters.position()?;
                let volume = self.present.volume(rules, parameters.cycles()?);
                self.metrics.positions.fetch_add(1, Ordering::Relaxed);
                position::answer(&volume, text, &self.files, guest).await
            }
            Route::Proof(rules) => {
                let rules = rules.parse()?;
                let parameters = parameters(Known::Search)?;
                let text = parameters.position()?;
                let time = parameters.time()?;
                let volume = self.present.volume(rules, parameters.cycles()?);
                self.metrics.positions.fetch_add(1, Ordering::Relaxed);
                let searches = &self.searches;
                prove::answer(&volume, text, time, searches, &self.files, guest).await
            }
            Route::Line(rules) => {
                let rules = rules.parse()?;
                let parameters = parameters(Known::Search)?;
                let text = parameters.position()?;
                let time = match parameters.time()? {
                    None => None,
                    asked => self.searches.time(asked)?,
                };
                let volume = self.present.volume(rules, parameters.cycles()?);
                let found = match time.filter(|_| line::is_beyond(&volume, &text)) {
                    Some(time) => line::prove(&volume, text, time, &self.searches, guest).await?,
                    None => line::find(&volume, text, &self.work, guest).await?,
                };
                line::held(found, guest, &self.answers)
            }
            Route::Batch(rules) => {
                let kind = self.hosts.check_body(&head.headers, self.cors)?;
                if kind == Kind::Other {
                    return Err(Problem::not_a_batch());
                }
                let rules = rules.parse()?;
                let cycles = parameters(Known::Tables)?.cycles()?;
                if kind == Kind::Lines {
                    if head.version < Version::HTTP_11 {
                        return Err(Problem::old_http());
                    }
                    let lines = self.lines.begin(guest, (rules, cycles), body);
                    return Ok(Answer::Lines(lines.await?));
                }
                let most = (BATCH_BYTES, Problem::body_too_large as _);
                let body = self.batches.read(most, guest, &head.headers, body);
                let body = body.await?;
                // Not earlier: new tables are not opened while a request has the former ones.
                let volume = self.present.volume(rules, cycles);
                let batch = self.batches.answer(&volume, guest, body, &self.work);
                let (reply, positions) = batch.await?;
                let counted = &self.metrics.positions;
                counted.fetch_add(positions as u64, Ordering::Relaxed);
                Ok(reply)
            }
            Route::Judgement(rules) => {
                if self.hosts.check_body(&head.headers, self.cors)? != Kind::Json {
                    return Err(Problem::unsupported_media_type());
                }
                let rules = rules.parse()?;
                let cycles = parameters(Known::Tables)?.cycles()?;
                let most = (GAME_BYTES, Problem::games_too_large as _);
                let body = self.batches.read(most, guest, &head.headers, body);
                let body = body.await?;
                let volume = self.present.volume(rules, cycles);
                judge::answer(&volume, guest, body, &self.work, &self.answers).await
            }
            Route::Statistics(rules) => {
                let rules = rules.parse()?;
                let volume = self
                    .present
                    .volume(rules, parameters(Known::Tables)?.cycles()?);
                statistics::answer(&volume, &self.found, &self.work, guest).await
            }
        };
        reply.map(Answer::Whole)
    }
}
