package driver_test

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

var dialOptions = []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
