//! A client for checks with the server in this process, and the answer files.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use sprague::client::target::Target;
use sprague::client::{Options, Pool};
use sprague::embedded::Embedded;
use sprague::judge::{Diagnostic, Format};
use sprague::run::Job;
use sprague::run::check::{Report, check};
use sprague::server::settings::Settings;
use sprague::server::workers::Games;
use tokio::runtime::Runtime;

pub struct Checker {
    client: Pool,
    _embedded: Embedded,
    runtime: Runtime,
}

impl Checker {
    pub fn new() -> Checker {
        let runtime = Runtime::new().expect("threads");
        let (client, embedded) = runtime.block_on(async {
            let embedded = Embedded::start(Settings::default(), Arc::new(Games)).expect("threads");
            let target = Target::ready("embedded", embedded.channel());
            (Pool::connect(&[target], Options::default()).await.expect("connects"), embedded)
        });
        Checker { client, _embedded: embedded, runtime }
    }

    /// Checks answers to the end; a fault of the input is a fault of the test.
    pub fn check(&self, format: Format, input: &str, answers: impl Read) -> (Report, Vec<Diagnostic>) {
        let job = Job { format, strict: false, keep_going: true };
        let mut findings = Vec::new();
        let input = std::io::Cursor::new(input.as_bytes().to_vec());
        let mut report = |found| findings.push(found);
        let meter = Arc::default();
        let report = self.runtime.block_on(check(&self.client, job, input, answers, &meter, &mut report));
        (report.unwrap_or_else(|error| panic!("{format}: {error}")), findings)
    }
}

/// The judge files of a format: name, input, answers.
pub fn files(format: Format) -> Vec<(String, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(format.name());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("every format has its folder") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|extension| extension == "in") {
            let read = |path: &Path| fs::read_to_string(path).expect("text");
            files.push((path.display().to_string(), read(&path), read(&path.with_extension("out"))));
        }
    }
    files.sort();
    assert!(!files.is_empty());
    files
}
