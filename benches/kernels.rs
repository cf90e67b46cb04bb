//! The solvers alone, each beside the plain method on the same boards.

mod boards;

use std::hint::black_box;
use std::time::Duration;

use boards::Random;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sprague::games::{darkraft, end_nim, treblecross};
use sprague::theory::Control;

/// A group for cases of milliseconds and more: few samples, no long warm-up.
fn long<'a>(
    criterion: &'a mut Criterion,
    name: &str,
) -> criterion::BenchmarkGroup<'a, criterion::measurement::WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    group
}

fn strips(criterion: &mut Criterion) {
    let values = treblecross::plain::values(2048);
    let mut random = Random::new();
    let control = Control::unlimited();

    // X's 3 to 17 apart: 10 % of the cells.
    let short: Vec<_> = (0..100).map(|_| random.treblecross(200, 3, 17)).collect();
    let mut group = criterion.benchmark_group("treblecross, 100 boards of 200 cells, 10 % X");
    group.throughput(Throughput::Elements(short.len() as u64)).sample_size(50);
    group.bench_function("fast", |bench| {
        bench.iter(|| short.iter().for_each(|board| drop(black_box(treblecross::solve(board, &control)))));
    });
    group.bench_function("plain", |bench| {
        bench
            .iter(|| short.iter().for_each(|board| drop(black_box(treblecross::plain::solve(board.cells(), &values)))));
    });
    group.finish();

    // The plain method's time is the square of the size: hours at 1,000,000.
    for (cells, name) in
        [(2000, "treblecross, 2000 cells, 10 % X"), (1_000_000, "treblecross, 1,000,000 cells, 10 % X")]
    {
        let board = random.treblecross(cells, 3, 17);
        let mut group = long(criterion, name);
        group.bench_function("fast", |bench| bench.iter(|| treblecross::solve(&board, &control)));
        if cells <= 2000 {
            group.bench_function("plain", |bench| bench.iter(|| treblecross::plain::solve(board.cells(), &values)));
        }
        group.finish();
    }
}

/// To 20,000 only: `tools/growth.rs` goes on to 1,000,000.
fn table(criterion: &mut Criterion) {
    let mut group = long(criterion, "Grundy table of 0.007 to 20,000 from nothing");
    group.bench_function("fast", |bench| {
        bench.iter(|| {
            let mut growth = treblecross::growth::Growth::new();
            while growth.values().len() <= 20_000 {
                growth.step();
            }
            growth
        });
    });
    group.bench_function("plain", |bench| bench.iter(|| treblecross::plain::values(20_000)));
    group.finish();
}

fn grids(criterion: &mut Criterion) {
    let control = Control::unlimited();
    for (side, crosses, name) in [
        (20, 33, "darkraft, 20 x 20, random letters"),
        (32, 33, "darkraft, 32 x 32, random letters"),
        (64, 33, "darkraft, 64 x 64, random letters"),
        (64, 90, "darkraft, 64 x 64, 90 % X"),
    ] {
        let board = Random::new().darkraft(side, side, crosses);
        let mut group = long(criterion, name);
        group.bench_function("fast", |bench| bench.iter(|| darkraft::solve(&board, &control)));
        // At 64 x 64 ten samples would take a minute: `tools/growth.rs` has it once.
        if side <= 32 {
            group.bench_function("plain", |bench| bench.iter(|| darkraft::plain(&board, &control)));
        }
        group.finish();
    }
}

fn rows(criterion: &mut Criterion) {
    let control = Control::unlimited();
    let mut random = Random::new();
    let row = |piles| end_nim::Board::new(piles).expect("no empty pile");
    for (name, board) in [
        ("End-Nim, 1000 piles up to 10^9", random.end_nim(1000, 1_000_000_000)),
        ("End-Nim, 1000 equal piles", row(vec![random.between(1, 1_000_000_000); 1000])),
        ("End-Nim, 1000 piles of 1 and 2", random.end_nim(1000, 2)),
    ] {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(20).measurement_time(Duration::from_secs(2));
        group.bench_function("fast", |bench| bench.iter(|| end_nim::solve(&board, &control)));
        group.bench_function("plain", |bench| bench.iter(|| end_nim::plain(&board, &control)));
        group.finish();
    }
}

criterion_group!(kernels, strips, table, grids, rows);
criterion_main!(kernels);
