//! Servers for the client's tests, in this process and as processes of their own, and boards whose answers tell them apart.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use sprague::games::{Board, Solution, darkraft, end_nim, solve, treblecross};
use sprague::server::Server;
use sprague::server::listen::{Address, Listener};
use sprague::server::settings::Settings;
use sprague::server::workers::Games;
use sprague::theory::Control;

/// A server in this process, on a free port.
pub struct Served {
    pub server: Server,
    pub address: String,
}

impl Served {
    pub async fn with(settings: Settings) -> Served {
        let listener = Listener::bind(&Address::Tcp("127.0.0.1:0".into())).await.unwrap();
        let address = listener.address().to_string();
        let server = Server::start(settings, Arc::new(Games), vec![listener]).unwrap();
        Served { server, address }
    }

    /// Waits until no call is open at the server.
    pub async fn is_left_idle(&self) {
        let start = Instant::now();
        while !self.server.is_idle() {
            assert!(start.elapsed() < Duration::from_secs(60), "the server still works for somebody");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// A `spragued` of its own, killed when dropped.
pub struct Process {
    child: Child,
    pub address: String,
}

impl Process {
    pub fn start() -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spragued"));
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SPRAGUE")) {
            command.env_remove(name);
        }
        let mut child =
            command.args(["--listen", "127.0.0.1:0", "--log", "off"]).stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        let address = ready.trim_end().strip_prefix("spragued listening on ").expect("the ready line").to_owned();
        Process { child, address }
    }

    /// Sends a signal; one that stops the process is waited for, thread by thread.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
        while signal == Signal::STOP && !self.is_stopped() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn is_stopped(&self) -> bool {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let state = |path: std::path::PathBuf| std::fs::read_to_string(path.join("stat")).unwrap_or_default();
        threads.into_iter().all(|thread| state(thread.unwrap().path()).contains(") T "))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A number that whoever runs the tests may raise.
pub fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect(variable))
}

/// Numbers of chance, the same in every run.
pub fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// The board of a place: rows, grids and piles of different sizes, each answered differently from its neighbours.
pub fn board(place: u64) -> Board {
    let size = (place / 3 % 40) as usize;
    match place % 3 {
        0 => treblecross::Board::empty(3 + size).unwrap().into(),
        1 => {
            let cells: Vec<u8> = (0..2 * (1 + size % 8)).map(|cell| br"X/\"[(place as usize + cell) % 3]).collect();
            darkraft::Board::new(2, cells.into()).unwrap().into()
        }
        _ => end_nim::Board::new(vec![1 + place % 7, 1 + place % 11, 1 + place % 5]).unwrap().into(),
    }
}

pub fn right(board: &Board) -> Solution {
    solve(board, &Control::unlimited()).unwrap()
}

/// A board that takes seconds.
pub fn heavy() -> Board {
    darkraft::Board::new(64, vec![b'X'; 64 * 64].into()).unwrap().into()
}

/// A board that no server takes.
pub fn too_large() -> Board {
    treblecross::Board::empty(1_000_001).unwrap().into()
}
