//! The history file: past runs in one `SQLite` file, in which a case has a row only where it changed.

use std::{collections::BTreeMap, path::Path};

use expectations::{judge::Finding, renamed};
use rusqlite::{
    Connection, OpenFlags, OptionalExtension as _, Transaction, TransactionBehavior, params,
};
use thiserror::Error;

use crate::{
    history::{History, PastChange, PastRun, Series},
    reader::ResultsError,
    run::Run,
};

/// Version of the tables. Newer versions are rejected.
const FORMAT: i64 = 2;
/// Version before it, whose runs were all whole.
const WITHOUT_PARTIAL: i64 = 1;
const UPGRADE: &str = "
    ALTER TABLE run ADD COLUMN partial TEXT NOT NULL DEFAULT '';
    ALTER TABLE run RENAME COLUMN unexplained TO unexpected;
";

const TABLES: &str = "
    CREATE TABLE run (
        id INTEGER PRIMARY KEY, device TEXT NOT NULL, selection TEXT NOT NULL, begun TEXT NOT NULL,
        driver TEXT NOT NULL, front_end TEXT NOT NULL, suite TEXT NOT NULL, cases INTEGER NOT NULL,
        seconds REAL NOT NULL, findings TEXT NOT NULL, unexpected INTEGER NOT NULL,
        partial TEXT NOT NULL DEFAULT '',
        UNIQUE (device, selection, begun)
    ) STRICT;
    CREATE TABLE case_name (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
    -- A case is what its last change before a run says; no finding means that it is not there any more.
    CREATE TABLE change (
        case_id INTEGER NOT NULL REFERENCES case_name, run INTEGER NOT NULL REFERENCES run, finding TEXT,
        PRIMARY KEY (case_id, run)
    ) STRICT, WITHOUT ROWID;
";

/// A history file that cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The file is not a history, is damaged, or cannot be reached.
    #[error("the history {path}: {source}")]
    Sqlite {
        /// The file.
        path: String,
        /// Cause of the error.
        source: rusqlite::Error,
    },
    /// Another version of the program wrote the file.
    #[error(
        "the history {path} has format {found}, this program reads format {FORMAT}; begin a new file"
    )]
    Format {
        /// The file.
        path: String,
        /// Format of the file.
        found: i64,
    },
    /// A cell holds what this program never writes.
    #[error("the history {path} is damaged: {what}")]
    Damaged {
        /// The file.
        path: String,
        /// Description of the damage.
        what: String,
    },
    /// The run changed while it was read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// The run is older than the last one: runs are kept in the order of time.
    #[error(
        "the run of {device} that began at {begun} is older than the last one in the history, of {last}: add runs in the order of time"
    )]
    Older {
        /// Name of the device.
        device: String,
        /// Moment at which the run began.
        begun: String,
        /// Moment at which the last run began.
        last: String,
    },
}

/// An open history file.
pub struct Store {
    connection: Connection,
    path: String,
}

/// The result of adding a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addition {
    /// The run is the first of its device and selection.
    First,
    /// The run is new.
    New {
        /// Number of cases that changed.
        changes: usize,
    },
    /// The history had the run already.
    Known,
}

impl Store {
    /// Opens a history to add to it; makes a new file if there is none.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens a history that exists.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    fn open_with(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let shown = path.display().to_string();
        let sqlite = |source| StoreError::Sqlite { path: shown.clone(), source };
        let mut connection = Connection::open_with_flags(path, flags).map_err(sqlite)?;
        let format: i64 = connection
            .query_row("SELECT user_version FROM pragma_user_version", [], |row| row.get(0))
            .map_err(sqlite)?;
        let tables: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .map_err(sqlite)?;
        if format == 0 && tables == 0 {
            let make = format!("BEGIN; {TABLES} PRAGMA user_version = {FORMAT}; COMMIT;");
            connection.execute_batch(&make).map_err(sqlite)?;
        } else if format == WITHOUT_PARTIAL {
            let transaction = connection.transaction().map_err(sqlite)?;
            transaction.execute_batch(UPGRADE).map_err(sqlite)?;
            for (old, new) in renamed::rules() {
                // The cases of a rule are those between `rule/` and `rule0`, the next text after it.
                transaction
                    .execute(
                        "UPDATE case_name SET name = ?2 || substr(name, length(?1) + 1)
                         WHERE name >= ?1 || '/' AND name < ?1 || '0'",
                        [old, new],
                    )
                    .map_err(sqlite)?;
            }
            transaction.pragma_update(None, "user_version", FORMAT).map_err(sqlite)?;
            transaction.commit().map_err(sqlite)?;
        } else if format != FORMAT {
            return Err(StoreError::Format { path: shown, found: format });
        }
        Ok(Self { connection, path: shown })
    }

    /// Adds a run.
    pub fn add(&mut self, run: &Run) -> Result<Addition, StoreError> {
        let path = self.path.clone();
        let sqlite = |source| StoreError::Sqlite { path: path.clone(), source };
        let (name, begun) = (run.name(), &run.header.begun);
        let device = name.as_ref();
        let selection = json(&run.header.selection);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(sqlite)?;
        let last: Option<String> = transaction
            .query_row(
                "SELECT max(begun) FROM run WHERE device = ?1 AND selection = ?2",
                params![device, selection],
                |row| row.get(0),
            )
            .map_err(sqlite)?;
        let is_first = last.is_none();
        if last.as_deref() == Some(begun.as_str()) {
            return Ok(Addition::Known);
        }
        if let Some(last) = last.filter(|last| last > begun) {
            let known: Option<i64> = transaction
                .query_row(
                    "SELECT id FROM run WHERE device = ?1 AND selection = ?2 AND begun = ?3",
                    params![device, selection, begun],
                    |row| row.get(0),
                )
                .optional()
                .map_err(sqlite)?;
            return match known {
                Some(_) => Ok(Addition::Known),
                None => {
                    Err(StoreError::Older { device: device.to_owned(), begun: begun.clone(), last })
                }
            };
        }
        let changes = insert(&transaction, &selection, run).map_err(sqlite)?;
        run.cases.check()?;
        transaction.commit().map_err(sqlite)?;
        Ok(if is_first { Addition::First } else { Addition::New { changes } })
    }

    /// Returns all past runs.
    pub fn history(&self) -> Result<History, StoreError> {
        let sqlite = |source| StoreError::Sqlite { path: self.path.clone(), source };
        let mut statement = self
            .connection
            .prepare(
                "SELECT id, device, selection, begun, driver, front_end, suite, cases, seconds, findings, unexpected,
                        partial
                 FROM run ORDER BY device, selection, begun",
            )
            .map_err(sqlite)?;
        let mut rows = statement.query([]).map_err(sqlite)?;
        let mut history = History::default();
        // Series of each run, and its index there.
        let mut places: BTreeMap<i64, (usize, usize)> = BTreeMap::new();
        while let Some(row) = rows.next().map_err(sqlite)? {
            let device: String = row.get(1).map_err(sqlite)?;
            let selection = self.parse(&row.get::<_, String>(2).map_err(sqlite)?)?;
            let run = PastRun {
                begun: row.get(3).map_err(sqlite)?,
                driver: row.get(4).map_err(sqlite)?,
                front_end: row.get(5).map_err(sqlite)?,
                suite: row.get(6).map_err(sqlite)?,
                cases: row.get::<_, u32>(7).map_err(sqlite)? as usize,
                seconds: row.get(8).map_err(sqlite)?,
                findings: self.parse(&row.get::<_, String>(9).map_err(sqlite)?)?,
                unexpected: row.get::<_, u32>(10).map_err(sqlite)? as usize,
                partial: row.get(11).map_err(sqlite)?,
            };
            let fits = |series: &Series| series.device == device && series.selection == selection;
            if !history.series.last().is_some_and(fits) {
                history.series.push(Series {
                    device,
                    selection,
                    runs: Vec::new(),
                    changes: Vec::new(),
                });
            }
            let at = history.series.len() - 1;
            places.insert(row.get(0).map_err(sqlite)?, (at, history.series[at].runs.len()));
            history.series[at].runs.push(run);
        }
        self.changes(&mut history, &places)?;
        Ok(history)
    }

    fn changes(
        &self,
        history: &mut History,
        places: &BTreeMap<i64, (usize, usize)>,
    ) -> Result<(), StoreError> {
        let sqlite = |source| StoreError::Sqlite { path: self.path.clone(), source };
        let mut statement = self
            .connection
            .prepare(
                "SELECT name, run, finding FROM change JOIN case_name ON case_name.id = case_id
                 ORDER BY case_id, run",
            )
            .map_err(sqlite)?;
        let mut rows = statement.query([]).map_err(sqlite)?;
        // Finding of the case of the rows before, by series.
        let mut before: (String, BTreeMap<usize, Option<Finding>>) = Default::default();
        while let Some(row) = rows.next().map_err(sqlite)? {
            let case: String = row.get(0).map_err(sqlite)?;
            let run: i64 = row.get(1).map_err(sqlite)?;
            let finding: Option<String> = row.get(2).map_err(sqlite)?;
            let to = finding.map(|text| self.parse(&text)).transpose()?;
            if before.0 != case {
                before = (case.clone(), BTreeMap::new());
            }
            let Some(&(series, run)) = places.get(&run) else {
                return Err(self.damaged(format!("a change of the run {run}, which is not there")));
            };
            let from = before.1.insert(series, to).flatten();
            // With its first run a series begins: nothing has changed yet.
            if run > 0 {
                history.series[series].changes.push(PastChange { run, case, from, to });
            }
        }
        for series in &mut history.series {
            series.changes.sort_by(|a, b| a.run.cmp(&b.run).then_with(|| a.case.cmp(&b.case)));
        }
        Ok(())
    }

    fn parse<T: serde::de::DeserializeOwned>(&self, text: &str) -> Result<T, StoreError> {
        serde_json::from_str(text).map_err(|error| self.damaged(error.to_string()))
    }

    fn damaged(&self, what: String) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what }
    }
}

fn insert(
    transaction: &Transaction<'_>,
    selection: &str,
    run: &Run,
) -> Result<usize, rusqlite::Error> {
    let (name, cases) = (run.name(), &run.cases);
    let device = name.as_ref();
    let run = PastRun::of(run);
    keep_last_findings(transaction, device, selection)?;
    transaction.execute(
        "INSERT INTO run (device, selection, begun, driver, front_end, suite, cases, seconds, findings, unexpected, partial)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            device,
            selection,
            run.begun,
            run.driver,
            run.front_end,
            run.suite,
            run.cases as u32,
            run.seconds,
            json(&run.findings),
            run.unexpected as u32,
            run.partial
        ],
    )?;
    let id = transaction.last_insert_rowid();
    let mut name = transaction.prepare("INSERT OR IGNORE INTO case_name (name) VALUES (?1)")?;
    let mut change = transaction.prepare(
        "INSERT OR REPLACE INTO change (case_id, run, finding)
         VALUES ((SELECT id FROM case_name WHERE name = ?1), ?2, ?3)",
    )?;
    let mut changes = 0;
    let mut last = transaction.prepare("SELECT name, finding FROM temp.last ORDER BY rowid")?;
    let mut last = last.query([])?;
    let mut before = next_finding(&mut last)?;
    let mut cases = cases.briefs().peekable();
    loop {
        let is_gone = match (&before, cases.peek()) {
            (None, None) => break,
            (Some((name, _)), Some(case)) => *name < case.id,
            (before, _) => before.is_some(),
        };
        if is_gone {
            // A partial run may lack cases that exist.
            if let Some((gone, _)) = before.filter(|_| run.partial.is_empty()) {
                change.execute(params![gone, id, None::<String>])?;
                changes += 1;
            }
            before = next_finding(&mut last)?;
        } else if let Some(case) = cases.next() {
            let finding = json(&case.finding);
            let was = before.take_if(|(name, _)| *name == case.id);
            if was.is_some() {
                before = next_finding(&mut last)?;
            }
            if was.is_none_or(|(_, was)| was != finding) {
                name.execute([&case.id])?;
                change.execute(params![case.id, id, finding])?;
                changes += 1;
            }
        }
    }
    Ok(changes)
}

/// Keeps the last finding of every case of a series in a table of this transaction, which is on disk where it is long.
fn keep_last_findings(
    transaction: &Transaction<'_>,
    device: &str,
    selection: &str,
) -> Result<(), rusqlite::Error> {
    transaction.execute_batch(
        "DROP TABLE IF EXISTS temp.last;
         CREATE TEMP TABLE last (name TEXT NOT NULL, finding TEXT NOT NULL)",
    )?;
    // Of a group SQLite takes the other columns from the row with the greatest run.
    transaction.execute(
        "INSERT INTO temp.last SELECT name, finding FROM (
             SELECT name, finding, max(run) FROM change
             JOIN case_name ON case_name.id = case_id JOIN run ON run.id = run
             WHERE device = ?1 AND selection = ?2 GROUP BY case_id
         ) WHERE finding IS NOT NULL ORDER BY name",
        params![device, selection],
    )?;
    Ok(())
}

fn next_finding(
    rows: &mut rusqlite::Rows<'_>,
) -> Result<Option<(String, String)>, rusqlite::Error> {
    match rows.next()? {
        Some(row) => Ok(Some((row.get(0)?, row.get(1)?))),
        None => Ok(None),
    }
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("findings and names contain only what JSON can represent")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expectations::{
        judge::{FindingKind, Reason},
        outcome::{Outcome, OutcomeKind},
        rule::Expectation,
    };

    use crate::{
        cases::Cases,
        history::Direction,
        line::{CaseResult, End, FORMAT, Header},
        run::Ending,
        worker_time::WorkerTime,
    };

    fn case(id: &str, kind: FindingKind) -> CaseResult {
        let finding = Finding { kind, reason: Reason::AsExpected };
        let outcome = Outcome::new(OutcomeKind::Accepted);
        CaseResult::new(
            id,
            expectations::dialect::Dialect::from_name("cl12").unwrap(),
            &Expectation::Accept,
            outcome,
            finding,
        )
    }

    fn run(device: &str, begun: &str, driver: &str, cases: Vec<CaseResult>) -> Run {
        let header = Header {
            format: FORMAT,
            program: "0".to_owned(),
            suite: "ab".to_owned(),
            selection: BTreeMap::new(),
            cases: cases.len(),
            device: device.to_owned(),
            front_end: String::new(),
            begun: begun.to_owned(),
            options: BTreeMap::new(),
            machine: BTreeMap::new(),
            identity: BTreeMap::from([("driver".to_owned(), driver.to_owned())]),
            shard: None,
            unsupported: BTreeMap::new(),
            environment: BTreeMap::new(),
            device_as_typed: String::new(),
            through: String::new(),
            judged_by: Vec::new(),
        };
        let (findings, worker_time) = (BTreeMap::new(), WorkerTime::default());
        let end = End { findings, seconds: 1.0, worker_time, shared_check: None };
        Run::new(header, Cases::new(cases), Ending::Finished(end))
    }

    #[test]
    fn a_case_has_a_row_where_it_changed() {
        use FindingKind::{Fail, Pass};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.sqlite");
        for (begun, driver, cases, expected) in [
            (
                "2026-01-01T00:00:00Z",
                "1",
                vec![case("a", Pass), case("it's", Pass)],
                Addition::First,
            ),
            (
                "2026-01-02T00:00:00Z",
                "1",
                vec![case("a", Pass), case("it's", Pass)],
                Addition::New { changes: 0 },
            ),
            ("2026-01-03T00:00:00Z", "2", vec![case("a", Fail)], Addition::New { changes: 2 }),
            (
                "2026-01-04T00:00:00Z",
                "2",
                vec![case("a", Fail), case("it's", Pass)],
                Addition::New { changes: 1 },
            ),
            (
                "2026-01-05T00:00:00Z",
                "3",
                vec![case("a", Pass), case("it's", Pass)],
                Addition::New { changes: 1 },
            ),
        ] {
            let mut store = Store::create(&path).unwrap();
            let run = run("pocl", begun, driver, cases);
            assert_eq!(store.add(&run).unwrap(), expected, "{begun}");
            assert_eq!(store.add(&run).unwrap(), Addition::Known);
        }
        let mut store = Store::open(&path).unwrap();
        store.add(&run("clang", "2026-01-01T00:00:00Z", "9", vec![case("a", Fail)])).unwrap();
        let history = store.history().unwrap();
        assert_eq!(history.series.len(), 2);
        let series = &history.series[1];
        assert_eq!(series.runs.len(), 5);
        let told: Vec<_> = series
            .changes
            .iter()
            .map(|c| (c.run, c.case.as_str(), c.from.map(|f| f.kind), c.to.map(|f| f.kind)))
            .collect();
        assert_eq!(
            told,
            [
                (2, "a", Some(Pass), Some(Fail)),
                (2, "it's", Some(Pass), None),
                (3, "it's", None, Some(Pass)),
                (4, "a", Some(Fail), Some(Pass)),
            ]
        );
        assert_eq!(series.changes[0].direction(), Direction::Worse);
        assert_eq!(series.balance(4), (0, 1));
    }

    #[test]
    fn a_store_of_the_first_format_is_brought_to_todays_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.sqlite");
        let first = TABLES
            .replace(" partial TEXT NOT NULL DEFAULT '',", "")
            .replace("unexpected", "unexplained");
        assert!(!first.contains("partial"), "{first}");
        let old = Connection::open(&path).unwrap();
        old.execute_batch(&format!("{first} PRAGMA user_version = 1;")).unwrap();
        old.execute_batch(
            "INSERT INTO run VALUES (1, 'pocl', '{}', '2026-01-01T00:00:00Z', '1', '', 'ab', 3, 1.0, '{}', 7);
             INSERT INTO case_name VALUES (1, 'run/barrier/cl12/flags=local'), (2, 'run-time/x/cl12/a=b'), (3, 'code/null-pointer/cl12/');
             INSERT INTO change VALUES (1, 1, 'pass as-expected'), (2, 1, 'pass as-expected'), (3, 1, 'pass as-expected');",
        )
        .unwrap();
        drop(old);
        let store = Store::open(&path).unwrap();
        let mut names = store.connection.prepare("SELECT name FROM case_name ORDER BY id").unwrap();
        let names: Vec<String> =
            names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        assert_eq!(
            names,
            [
                "execution/barrier/cl12/flags=local",
                "run-time/x/cl12/a=b",
                "codegen/null-pointer-conversions/cl12/"
            ]
        );
        let unexpected: i64 =
            store.connection.query_row("SELECT unexpected FROM run", [], |row| row.get(0)).unwrap();
        assert_eq!(unexpected, 7);
    }

    #[test]
    fn what_is_no_store_is_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.sqlite");
        assert!(matches!(Store::open(&path), Err(StoreError::Sqlite { .. })));
        std::fs::write(&path, "no database at all, and long enough to be read as a page").unwrap();
        let error = Store::open(&path).err().unwrap();
        assert!(error.to_string().contains("file is not a database"), "{error}");
        let newer = folder.path().join("newer.sqlite");
        let mut store = Store::create(&newer).unwrap();
        store.connection.execute_batch("PRAGMA user_version = 9").unwrap();
        let error = Store::open(&newer).err().unwrap();
        assert!(error.to_string().contains("has format 9, this program reads format 2"), "{error}");
        store.connection.execute_batch("PRAGMA user_version = 2").unwrap();
        store.add(&run("pocl", "2026-01-02T00:00:00Z", "1", Vec::new())).unwrap();
        let error = store.add(&run("pocl", "2026-01-01T00:00:00Z", "1", Vec::new())).unwrap_err();
        assert!(error.to_string().contains("in the order of time"), "{error}");
    }
}
