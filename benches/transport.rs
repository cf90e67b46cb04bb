//! What the way to the solver costs: a bulk stream beside one whose answers are there already, and one board by RPC
//! beside an RPC that does nothing.

mod boards;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sprague::client::credentials::Credentials;
use sprague::client::target::Target;
use sprague::client::{Options, Pool};
use sprague::embedded::Embedded;
use sprague::games::{Answer, Board, Solution, solve};
use sprague::server::Server;
use sprague::server::listen::{Address, Listener};
use sprague::server::settings::Settings;
use sprague::server::workers::{Games, Solver};
use sprague::theory::{Control, Stopped};
use sprague::wire::v1::sprague_service_client::SpragueServiceClient;
use sprague::wire::v1::sprague_service_server::{SpragueService, SpragueServiceServer};
use sprague::wire::{self, v1};
use tokio::runtime::Runtime;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Response, Status, Streaming};

/// As in the binaries.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const BOARDS: usize = 50_000;

/// Gives out answers that were found before, in turn. One stream sends the boards in that order, and boards without
/// cost are solved in place, in order.
struct Precomputed {
    solutions: Arc<Vec<Solution>>,
    next: AtomicUsize,
}

impl Solver for Precomputed {
    fn cost(&self, _: &Board) -> u64 {
        0
    }

    fn solve(&self, _: &Board, _: &Control) -> Result<Solution, Stopped> {
        let at = self.next.fetch_add(1, Ordering::Relaxed) % self.solutions.len();
        Ok(self.solutions[at].clone())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Memory,
    Unix,
    Tcp,
}

/// A client with one stream, and what must outlive it.
struct Connected {
    client: Pool,
    _embedded: Option<Embedded>,
    _server: Option<Server>,
}

async fn connect(way: Way, solver: Arc<dyn Solver>) -> Connected {
    let options = Options { connections: 1, ..Options::default() };
    if way == Way::Memory {
        let embedded = Embedded::start(Settings::default(), solver).expect("threads");
        let target = Target::ready("embedded", embedded.channel());
        let client = Pool::connect(&[target], options).await.expect("the embedded server");
        return Connected { client, _embedded: Some(embedded), _server: None };
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let address = match way {
        Way::Unix => Address::Unix(folder.path().join("socket")),
        _ => Address::Tcp("127.0.0.1:0".into()),
    };
    let listener = Listener::bind(&address).await.expect("a free address");
    let address = listener.address().to_string().parse().expect("an address");
    let target = Target::new(&address, &Credentials::default()).expect("nothing to show");
    let server = Server::start(Settings::default(), solver, vec![listener]).expect("threads");
    let client = Pool::connect(&[target], options).await.expect("the server just started");
    Connected { client, _embedded: None, _server: Some(server) }
}

/// Sends all boards and counts the answers, which go to `look` with their place.
fn stream(runtime: &Runtime, client: &Pool, boards: &[Board], look: impl Fn(usize, Answer)) -> usize {
    std::thread::scope(|scope| {
        let (mut sending, mut answers) = client.solve(false);
        scope.spawn(move || {
            runtime.block_on(async move {
                for (at, board) in boards.iter().enumerate() {
                    sending.push(board.clone(), at).await.expect("the run goes on");
                }
                sending.finish().await.expect("the run goes on");
            });
        });
        let mut count = 0;
        while let Some(answered) = runtime.block_on(answers.wait()).expect("the run goes on") {
            count += answered.len();
            answered
                .into_iter()
                .for_each(|entry| look(entry.tag, entry.answer.expect("an answer").expect("a solution")));
        }
        count
    })
}

fn bulk(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("threads");
    let boards = boards::uva10561_boards(BOARDS);
    let solved = |board| solve(board, &Control::unlimited()).expect("no limit");
    let solutions: Arc<Vec<Solution>> = Arc::new(boards.iter().map(solved).collect());
    for way in [Way::Memory, Way::Unix, Way::Tcp] {
        let mut group = criterion.benchmark_group(format!("stream of 50,000 boards of 200 cells, {way:?}"));
        group.throughput(Throughput::Elements(BOARDS as u64)).sample_size(20).measurement_time(Duration::from_secs(3));
        let precomputed = Precomputed { solutions: solutions.clone(), next: AtomicUsize::new(0) };
        for (name, solver) in [("solved", Arc::new(Games) as Arc<dyn Solver>), ("precomputed", Arc::new(precomputed))] {
            let connected = runtime.block_on(connect(way, solver));
            let same = |at: usize, answer| assert_eq!(answer, Answer::Solution(solutions[at].clone()));
            assert_eq!(stream(&runtime, &connected.client, &boards, same), BOARDS);
            group.bench_function(name, |bench| bench.iter(|| stream(&runtime, &connected.client, &boards, |_, _| {})));
        }
        group.finish();
    }
}

/// A service that does nothing, for what an RPC costs by itself.
struct Nothing;

#[tonic::async_trait]
impl SpragueService for Nothing {
    type SolveStreamStream = tokio_stream::Empty<Result<v1::SolveStreamResponse, Status>>;

    async fn solve(&self, _: Request<v1::SolveRequest>) -> Result<Response<v1::SolveResponse>, Status> {
        Ok(Response::new(v1::SolveResponse::default()))
    }

    async fn explain(&self, _: Request<v1::ExplainRequest>) -> Result<Response<v1::ExplainResponse>, Status> {
        Err(Status::unimplemented("nothing"))
    }

    async fn solve_stream(
        &self,
        _: Request<Streaming<v1::SolveStreamRequest>>,
    ) -> Result<Response<Self::SolveStreamStream>, Status> {
        Err(Status::unimplemented("nothing"))
    }

    async fn get_server_info(
        &self,
        _: Request<v1::GetServerInfoRequest>,
    ) -> Result<Response<v1::GetServerInfoResponse>, Status> {
        Err(Status::unimplemented("nothing"))
    }
}

async fn client_of(address: &str) -> SpragueServiceClient<Channel> {
    let endpoint = Endpoint::new(format!("http://{address}")).expect("an address").tcp_nodelay(true);
    SpragueServiceClient::new(endpoint.connect().await.expect("the server just started"))
}

fn unary(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("threads");
    let (mut solving, mut nothing, _server) = runtime.block_on(async {
        let listener = Listener::bind(&Address::Tcp("127.0.0.1:0".into())).await.expect("a free port");
        let address = listener.address().to_string();
        let server = Server::start(Settings::default(), Arc::new(Games), vec![listener]).expect("threads");
        let incoming = tonic::transport::server::TcpIncoming::bind("127.0.0.1:0".parse().expect("an address"));
        let incoming = incoming.expect("a free port").with_nodelay(Some(true));
        let idle = incoming.local_addr().expect("a bound address").to_string();
        let service = SpragueServiceServer::new(Nothing);
        tokio::spawn(tonic::transport::Server::builder().add_service(service).serve_with_incoming(incoming));
        (client_of(&address).await, client_of(&idle).await, server)
    });
    let board = sprague::games::treblecross::Board::new(b".....X.....".as_slice().into()).expect("a board");
    let request = wire::solve_request(Board::Treblecross(board), false);
    let mut group = criterion.benchmark_group("one board of 11 cells by RPC over TCP");
    group.sample_size(50).measurement_time(Duration::from_secs(3));
    for (name, client) in [("solved", &mut solving), ("nothing", &mut nothing)] {
        group.bench_function(name, |bench| {
            bench.iter(|| runtime.block_on(client.solve(request.clone())).expect("an answer"));
        });
    }
    group.finish();

    let embedded = {
        let _runtime = runtime.enter();
        Embedded::start(Settings::default(), Arc::new(Games)).expect("threads")
    };
    let mut client = SpragueServiceClient::new(embedded.channel());
    let mut group = criterion.benchmark_group("one board of 11 cells by RPC in memory");
    group.sample_size(50).measurement_time(Duration::from_secs(3));
    group.bench_function("solved", |bench| {
        bench.iter(|| runtime.block_on(client.solve(request.clone())).expect("an answer"));
    });
    group.finish();
}

criterion_group!(transport, bulk, unary);
criterion_main!(transport);
