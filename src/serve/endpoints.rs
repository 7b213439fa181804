//! The endpoints that need few words: a function for each.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use granero::captures::LayerCaptures;
use granero::notation::PositionText;
use granero::table::is_being_written;
use granero::{Position, TableError, Tables};
use granero_answer::document::{
    Batch, Catalogue, LineJson, PositionJson, ServedStatistics, ServedTables,
};
use granero_answer::{BestLines, PositionAnswer, SERVED_LIMIT, values};
use granero_console::hint;
use prometheus::TextEncoder;
use schemars::JsonSchema;
use serde::Serialize;

use crate::limits::{BATCH_BYTES, BATCH_POSITIONS, limits, take};
use crate::lines;
use crate::metrics::METRICS;
use crate::parameters::{self, Parameters};
use crate::problem::Problem;
use crate::reply::{Answer, JSON, Reply, TSV};
use crate::searches::{DEFAULT, SearchTurn};
use crate::site::{Asked, Site};
use crate::tables::TableSet;

/// The memory for each position that a search for a line visits.
const POSITION: u64 = 256;

/// `GET /api/v1/{rules}/position`
pub(crate) async fn position(asked: Asked) -> Answer {
    let (text, _, set) = asked.position(&["p", "cycles"])?;
    METRICS.positions.inc();
    look_up(&asked.site, set, text).await
}

/// `GET /api/v1/{rules}/prove`
pub(crate) async fn prove(asked: Asked) -> Answer {
    let (text, time, set) = asked.position(&["p", "cycles", "time"])?;
    METRICS.positions.inc();
    let searches = &asked.site.searches;
    let usual = searches.longest.map(|longest| DEFAULT.min(longest));
    let time = searches.time(time.or(usual))?;
    let Some(time) = time.filter(|_| !set.reaches(text.position().seeds())) else {
        return look_up(&asked.site, set, text).await;
    };
    let search = searches.work(time, move |search| -> Answer {
        let mut answer = PositionAnswer::new(&set.tables, &text)?;
        // It may not be: all moves may lead into the tables.
        if answer.is_beyond() {
            answer.prove(&search.prove(search.left(), &set.tables, &text.position())?);
        }
        Ok(Reply::json(&PositionJson::served(&answer)))
    });
    search.await?
}

/// Answers at once if memory has all that it takes, else from the files when its turn comes.
async fn look_up(site: &Site, set: Arc<TableSet>, text: PositionText) -> Answer {
    let seeds = text.position().seeds();
    let reply = |answer: &PositionAnswer<'_>| Reply::json(&PositionJson::served(answer));
    if let Some(answer) = PositionAnswer::cached(&set.tables, &text)? {
        return Ok(set.keep(seeds, reply(&answer)));
    }
    let work = move || -> Result<Reply, TableError> {
        let answer = PositionAnswer::new(&set.tables, &text)?;
        Ok(set.keep(seeds, reply(&answer)))
    };
    Ok(site.files.work(work).await??)
}

/// `GET /api/v1/{rules}/line`
pub(crate) async fn line(asked: Asked) -> Answer {
    let (text, time, set) = asked.position(&["p", "cycles", "time"])?;
    let (site, seeds) = (asked.site, text.position().seeds());
    let reply = match site.searches.time(time)?.filter(|_| !set.reaches(seeds)) {
        Some(time) => {
            let prove = move |search| proven_line(&set.tables, &text, &search);
            site.searches.work(time, prove).await??
        }
        None => {
            let find = move || -> Answer {
                let tables = &set.tables;
                let found = BestLines::find(tables, &text, SERVED_LIMIT, &mut |_| {})?;
                Ok(set.keep(seeds, line_of(tables, &text, found.as_ref())))
            };
            site.work.work(find).await??
        }
    };
    reply.with_permit(|| take(&site.answers))
}

/// Follows moves that are proven best down into the tables. All proofs share the time of one search.
fn proven_line(tables: &Tables, text: &PositionText, search: &SearchTurn) -> Answer {
    // The proofs have released their memory before the line goes on in the tables.
    let limit = SERVED_LIMIT.min((search.memory / POSITION) as usize);
    // The line is known without a proof if the game is over.
    let found = match BestLines::find(tables, text, limit, &mut |_| {})? {
        Some(found) => found,
        None => BestLines::prove(tables, text, limit, &mut |_| {}, |position| {
            search.prove(search.left() / 2, tables, position)
        })?,
    };
    Ok(line_of(tables, text, Some(&found)))
}

fn line_of(tables: &Tables, text: &PositionText, found: Option<&BestLines<'_>>) -> Reply {
    Reply::json(&LineJson::new(tables, text, found).served(text))
}

/// `POST /api/v1/{rules}/batch`
pub(crate) async fn batch(asked: Asked) -> Result<Response, Problem> {
    match asked.body_type()?.as_str() {
        JSON => Ok(batch_in_json(asked).await?.into_response()),
        TSV => lines::answer(asked).await,
        _ => Err(Problem::not_a_batch()),
    }
}

async fn batch_in_json(mut asked: Asked) -> Answer {
    let (rules, Parameters { cycles, .. }) = asked.parameters(&["cycles"])?;
    let body = asked.read(BATCH_BYTES, "positions").await?;
    let site = asked.site;
    // Not earlier: no tables are opened again while a request holds former ones.
    let set = site.served.set(rules, cycles);
    let permit = take(&site.answers)?;
    let look_up = move || -> Answer {
        let entries = parameters::parse(&body.0, BATCH_POSITIONS)?;
        drop(body);
        let positions: Vec<Position> = entries.iter().flatten().copied().collect();
        let values = values(&set.tables, &positions)?;
        let batch = Batch::new(&set.tables, &entries, &values);
        let mut answer = serde_json::to_vec(&batch).expect("numbers and names are JSON");
        answer.shrink_to_fit();
        METRICS.positions.inc_by(entries.len() as u64);
        Reply::new(JSON, answer).with_permit(|| Ok(permit))
    };
    site.work.work(look_up).await?
}

/// `GET /api/v1/tables`: lists the tables, and says how to build more.
pub(crate) async fn tables(State(site): State<Arc<Site>>) -> Answer {
    let sets = site.served.existing();
    let longest = site.searches.longest;
    let list = move || {
        let served = sets.iter().map(|set| {
            // Where the lock cannot be seen, no build is reported.
            let building = (set.tables.directory())
                .is_some_and(|place| is_being_written(place).unwrap_or(false));
            let (is_sample, fingerprint) = (set.is_sample(), &set.fingerprint);
            ServedTables::new(&set.tables, is_sample, building, fingerprint, more(set))
        });
        Reply::json(&Catalogue::new(served.collect(), limits(longest))).fixed()
    };
    site.files.work(list).await
}

/// Returns a command that builds more layers; `None` if there are all.
fn more(set: &TableSet) -> Option<String> {
    let tables = &set.tables;
    let rules = tables.rules();
    let cycles = hint::option("cycles", tables.cycles()) + &hint::extent_option(tables.extent());
    if set.is_sample() {
        return Some(format!("granero build --rules {rules}{cycles}"));
    }
    let seeds = tables.max_seeds().map_or(0, |seeds| seeds + 1);
    (seeds <= tables.extent().max_seeds())
        .then(|| format!("granero build --rules {rules}{cycles} --seeds {seeds} --db DIR"))
}

/// `GET /api/v1/{rules}/stats`: the statistics of all layers.
pub(crate) async fn statistics(asked: Asked) -> Answer {
    let (rules, Parameters { cycles, .. }) = asked.parameters(&["cycles"])?;
    let set = asked.site.served.set(rules, cycles);
    if let Some(reply) = set.statistics.get() {
        return Ok(reply.clone());
    }
    let count = move || {
        let captures = |layer| LayerCaptures::of(rules, layer);
        let reply = || Reply::json(&ServedStatistics::new(&set.tables, captures)).fixed();
        set.statistics.get_or_init(reply).clone()
    };
    asked.site.work.work(count).await
}

/// Whether the server is up.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Health {
    /// `ok`.
    status: &'static str,
    /// Rulesets and conventions whose tables are open.
    tables: usize,
}

/// `GET /healthz`
pub(crate) async fn health(State(site): State<Arc<Site>>) -> Answer {
    let tables = site.served.existing().len();
    let status = "ok";
    Ok(Reply::json(&Health { status, tables }))
}

/// `GET /metrics`
pub(crate) async fn counts(State(site): State<Arc<Site>>) -> Answer {
    let version = METRICS.info.with_label_values(&[env!("CARGO_PKG_VERSION")]);
    version.set(1);
    let searches = site.searches.gate.working_and_waiting();
    for (state, number) in ["working", "waiting"].into_iter().zip(searches) {
        let gauge = METRICS.searches.with_label_values(&[state]);
        gauge.set(number as i64);
    }
    let seeds = &METRICS.table_seeds;
    seeds.reset();
    for TableSet { tables, .. } in site.served.existing().iter().map(|set| &**set) {
        let kind = [tables.rules().name(), tables.cycles().name()];
        if let Some(most) = tables.max_seeds() {
            seeds.with_label_values(&kind).set(most.into());
        }
    }
    let text = TextEncoder::new().encode_to_string(&prometheus::gather());
    let text = text.expect("names and numbers are text");
    Ok(Reply::new("text/plain; version=0.0.4", text))
}
