package driver

import (
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Call is one line of the record: a request in full, secrets included, for this is a driver for tests.
type Call struct {
	Time    time.Time       `json:"time"`
	Method  string          `json:"method"`  // e.g. NodePublishVolume
	Request json.RawMessage `json:"request"` // protobuf's canonical JSON
	Code    string          `json:"code"`    // gRPC status code by name, e.g. OK
	Message string          `json:"message,omitempty"`
	Millis  float64         `json:"ms"`
}

// Recorder appends calls to a file and logs them without their contents.
type Recorder struct {
	mutex sync.Mutex
	out   io.Writer
}

// NewRecorder records to path, or to DRIVER-NODE.jsonl in it when it is a directory or ends in a slash.
// An empty path records nothing.
func NewRecorder(path string, config Config) (*Recorder, error) {
	if path == "" {
		return &Recorder{out: io.Discard}, nil
	}
	if info, err := os.Stat(path); strings.HasSuffix(path, "/") || err == nil && info.IsDir() {
		path = filepath.Join(path, config.Name+"-"+config.NodeID+".jsonl")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return &Recorder{out: file}, err
}

// Add records one finished call.
func (r *Recorder) Add(began time.Time, method string, request any, failure error) error {
	answer := status.Convert(failure)
	call := Call{
		Time:    began.UTC(),
		Method:  method[strings.LastIndexByte(method, '/')+1:],
		Code:    answer.Code().String(),
		Message: answer.Message(),
		Millis:  float64(time.Since(began).Microseconds()) / 1000,
	}
	slog.Info("call", "method", call.Method, "code", call.Code, "message", call.Message, "ms", call.Millis)
	var err error
	if call.Request, err = protojson.Marshal(request.(proto.Message)); err != nil {
		return err
	}
	line, err := json.Marshal(call)
	if err != nil {
		return err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	_, err = r.out.Write(append(line, '\n'))
	return err
}
