//! The client: boards in, solutions out, in order, whatever becomes of the servers meanwhile.
//!
//! [`Client`] is for programs: one board, a stream of boards, an explanation. Below it, [`pool::Pool`] works on batches
//! and carries a tag with each board; the program `sprague` uses that directly.

pub mod credentials;
mod tls;
pub mod fault;
pub mod target;
mod patience;
pub mod batch;
mod queue;
mod call;
mod ask;
pub mod lane;
pub mod pool;
mod error;
mod solve_all;
mod explain;
mod builder;

use std::fmt;
use std::sync::Arc;

pub use self::batch::Answered;
pub use self::builder::Builder;
pub use self::error::Error;
pub use self::explain::Explain;
pub use self::pool::{Answers, Boards, Closed, Options, Pool};
pub use self::solve_all::SolveAll;
#[cfg(feature = "server")]
use crate::embedded::Embedded;
use crate::games::{Answer, Board, Outcome, Solution};
use crate::wire::facts::ServerFacts;
use crate::wire::{BoardError, Reason};
use tokio_stream::Stream;

/// A client of one or several servers that share the work. Clones are cheap and use the same connections.
///
/// It works on the tokio runtime on which it was connected, with one thread or several, and never blocks it. Every call
/// is *cancel-safe*: dropping its future or stream ends the work for it here and, by a reset of the call, at the server.
/// Servers that break off, or do not answer, are tried again for `retry_for` (30 seconds unless the [`Builder`] says
/// otherwise), and others take over their work; every board is answered exactly once.
///
/// ```no_run
/// # async fn doc() -> Result<(), sprague::Error> {
/// use sprague::games::treblecross;
///
/// let client = sprague::Client::connect(["http://127.0.0.1:50051"]).await?;
/// let board = treblecross::Board::empty(5).expect("three cells at least");
/// assert_eq!(client.solve(board).await?.winning_cells(), [2]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client(Arc<Inner>);

struct Inner {
    pool: Pool,
    #[cfg(feature = "server")]
    _embedded: Option<Embedded>,
}

impl Client {
    /// Connects to servers: `HOST:PORT`, `http://HOST:PORT`, `https://HOST:PORT` or `unix:/PATH`. One that answers is
    /// enough; the others join when they do. Dropping the future ends the attempt.
    ///
    /// # Errors
    /// [`Error::Address`] for an address that is not valid, [`Error::NoServer`] without one; [`Error::Call`] if no server
    /// answers for 30 seconds, or one refuses this client.
    ///
    /// ```no_run
    /// # async fn doc() -> Result<(), sprague::Error> {
    /// let client = sprague::Client::connect(["solver-1:50051", "solver-2:50051"]).await?;
    /// println!("{}", client.info().await?.version);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn connect(servers: impl IntoIterator<Item: AsRef<str>>) -> Result<Client, Error> {
        Client::builder().servers(servers).connect().await
    }

    /// A client with other settings: credentials, time limits, connections.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A client of a server in this process, without a network: the same service over a pipe in memory. It solves on
    /// threads of its own, two for each core, and ends with the last clone of the client and the last stream.
    ///
    /// # Errors
    /// [`Error::Start`] if the threads cannot be started.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use sprague::games::{Outcome, end_nim};
    ///
    /// let client = sprague::Client::embedded().await?;
    /// let solution = client.solve(end_nim::Board::new(vec![3, 1, 2])?).await?;
    /// assert_eq!(solution.outcome(), Outcome::FirstPlayerWins);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "server")]
    pub async fn embedded() -> Result<Client, Error> {
        Client::builder().embedded().await
    }

    /// Solves one board in a call of its own: every winning first move, and the value where there is one. Takes a board of
    /// any game, or a reference to one, which is cloned. For many boards [`Client::solve_all`] is some hundred times
    /// faster. Where the server does not answer for two seconds, the next one is asked, too, and the first answer counts.
    ///
    /// Cancel-safe: dropping the future resets the call, and the server stops.
    ///
    /// # Errors
    /// [`Error::Board`] if this board cannot be solved: too large, or too costly; [`Error::Call`] if no server answers.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use sprague::games::{Board, darkraft};
    ///
    /// let client = sprague::Client::embedded().await?;
    /// let board = Board::from(darkraft::Board::new(2, r"X/\X".into())?);
    /// let solution = client.solve(&board).await?;
    /// assert_eq!(solution.winning_cells(), [2]);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn solve(&self, board: impl Into<Board>) -> Result<Solution, Error> {
        whole(self.0.pool.solve_one(board.into(), false).await??)
    }

    /// Who wins a board, alone: as [`Client::solve`], for less work at the server and a shorter answer.
    ///
    /// # Errors
    /// As for [`Client::solve`].
    pub async fn outcome(&self, board: impl Into<Board>) -> Result<Outcome, Error> {
        Ok(self.0.pool.solve_one(board.into(), true).await??.outcome())
    }

    /// Solves the boards of a stream, packed into batches over every connection; solutions come in the order of the
    /// boards. About a microsecond a small board.
    ///
    /// An `Err(Error::Board)` is one board's own, in its place, and the others go on. After any other error the stream
    /// ends. Boards are taken from `boards` while the result is polled, as far ahead as 8 MiB of boards and answers under
    /// way; where `boards` is pending, what there is is sent. Whoever does not poll for a while loses nothing.
    ///
    /// The result owns `boards`, and borrows what that borrows; it is `Send` if `boards` is. Cancel-safe: dropping the
    /// result ends the run and resets its calls; nothing is lost by dropping the future of its `next`.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use sprague::games::treblecross;
    /// use tokio_stream::StreamExt as _;
    ///
    /// let client = sprague::Client::embedded().await?;
    /// let boards = [treblecross::Board::empty(4)?, treblecross::Board::empty(5)?];
    /// let mut solutions = client.solve_all(tokio_stream::iter(boards));
    /// while let Some(solution) = solutions.next().await {
    ///     println!("{:?}", solution?.winning_cells());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn solve_all<S: Stream<Item: Into<Board>>>(&self, boards: S) -> SolveAll<S> {
        SolveAll::new(self.clone(), boards, false, whole)
    }

    /// Who wins each board of a stream, alone: as [`Client::solve_all`], for less work and shorter answers.
    pub fn outcomes<S: Stream<Item: Into<Board>>>(&self, boards: S) -> SolveAll<S, Outcome> {
        SolveAll::new(self.clone(), boards, true, |answer| Ok(answer.outcome()))
    }

    /// Explains a board, or the position that some moves lead to: who wins, why, and by which moves. The result is awaited,
    /// after what else is wanted of it. As for [`Client::solve`], a second server is asked after two seconds.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use sprague::explain::Move;
    /// use sprague::games::{Outcome, treblecross};
    ///
    /// let client = sprague::Client::embedded().await?;
    /// let board = treblecross::Board::empty(5)?;
    /// let explanation = client.explain(&board).moves(&[Move::Cell(2)]).options().await?;
    /// assert_eq!(explanation.outcome, Outcome::SecondPlayerWins);
    /// # Ok(())
    /// # }
    /// ```
    pub fn explain(&self, board: impl Into<Board>) -> Explain {
        Explain::new(self.clone(), board.into())
    }

    /// Asks a server for its version, the largest boards it takes, and its limits. Where there are several, the first answer
    /// counts.
    ///
    /// Cancel-safe: dropping the future resets the call.
    ///
    /// # Errors
    /// [`Error::Call`] if no server answers.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), sprague::Error> {
    /// let client = sprague::Client::embedded().await?;
    /// assert_eq!(client.info().await?.sizes.treblecross.cells, 1_000_000);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn info(&self) -> Result<ServerFacts, Error> {
        Ok(self.0.pool.info().await?)
    }

    /// The batches below: boards with tags in, answers a batch at a time out.
    pub fn pool(&self) -> &Pool {
        &self.0.pool
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.pool.servers().map(|(name, _)| name)).finish()
    }
}

/// The solution that was asked for.
fn whole(answer: Answer) -> Result<Solution, Error> {
    match answer {
        Answer::Solution(solution) => Ok(solution),
        Answer::Outcome(_) => Err(BoardError::new(Reason::Internal, "the server left out the winning moves").into()),
    }
}
