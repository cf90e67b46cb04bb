// Streams boards as plain gRPC for C++ does it: a message as soon as the call takes one. See ../streams.py.
//
//   stream ADDRESS BOARDS BOARD_CELLS BATCH OUTPUT [AUTHORITY]

#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <thread>

#include <grpcpp/grpcpp.h>

#include "sprague/v1/sprague.grpc.pb.h"

namespace pb = sprague::v1;

// The cells of board `number`: `cells`, or 12 to 292 by turns where that is 0.
static size_t CellsOf(uint64_t number, size_t cells) { return cells ? cells : 12 + number * 89 % 281; }

int main(int count, char** arguments) {
  if (count < 6) {
    std::cerr << "usage: stream ADDRESS BOARDS BOARD_CELLS BATCH OUTPUT [AUTHORITY]\n";
    return 2;
  }
  const uint64_t boards = std::stoull(arguments[2]), cells = std::stoull(arguments[3]), batch = std::stoull(arguments[4]);
  grpc::ChannelArguments options;
  options.SetMaxReceiveMessageSize(-1);
  if (count > 6) options.SetString(GRPC_ARG_DEFAULT_AUTHORITY, arguments[6]);
  auto channel = grpc::CreateCustomChannel(arguments[1], grpc::InsecureChannelCredentials(), options);
  auto stub = pb::SpragueService::NewStub(channel);

  grpc::ClientContext context;
  auto call = stub->SolveStream(&context);
  std::thread writer([&] {
    pb::SolveStreamRequest request;
    for (uint64_t sent = 0; sent < boards;) {
      request.Clear();
      request.set_batch_id(sent / batch);
      for (uint64_t left = std::min(batch, boards - sent); left; left--) {
        request.add_boards()->mutable_treblecross()->set_cells(std::string(CellsOf(sent++, cells), '.'));
      }
      if (!call->Write(request)) return;
    }
    call->WritesDone();
  });

  std::ofstream output(arguments[5], std::ios::binary);
  pb::SolveStreamResponse response;
  uint64_t batches = 0, answered = 0;
  bool whole = false, ordered = true;
  while (call->Read(&response)) {
    if (response.has_summary()) {
      whole = response.summary().boards() == boards && response.summary().solved() == boards && answered == boards;
      continue;
    }
    ordered = ordered && response.batch().batch_id() == batches++;
    for (const auto& result : response.batch().results()) {
      output << (result.has_solution() ? static_cast<char>('0' + result.solution().outcome()) : 'E');
      answered++;
    }
  }
  writer.join();
  const grpc::Status status = call->Finish();
  if (status.ok() && whole && ordered && output.flush()) return 0;
  std::cerr << answered << " of " << boards << " boards answered, code " << status.error_code() << ": " << status.error_message() << "\n";
  return 1;
}
