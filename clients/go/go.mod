module sprague.example/client

go 1.19

require (
	google.golang.org/genproto/googleapis/rpc v0.0.0-20240814211410-ddb44dafa142
	google.golang.org/grpc v1.66.0
	google.golang.org/protobuf v1.34.2
)
