package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"kubectl-csi/driver/internal/volume"
)

// storage says which kind of volume.Source to use and where its data is.
type storage struct {
	mode       string
	dataDir    string
	s3Endpoint string
	s3Bucket   string
	backend    string
}

func (s *storage) flags() {
	flag.StringVar(&s.mode, "mode", "fuse-s3", "fuse-s3, bind or none")
	flag.StringVar(&s.dataDir, "data-dir", "/csi/data", "mode bind: folder of the volumes; mode none: of their names")
	flag.StringVar(&s.s3Endpoint, "s3-endpoint", "", "mode fuse-s3: server, e.g. http://10.0.0.1:9000")
	flag.StringVar(&s.s3Bucket, "s3-bucket", "csi", "mode fuse-s3: bucket, made when it is missing")
	flag.StringVar(&s.backend, "backend", "", "mode fuse-s3: dir=PATH keeps the volumes in a folder and not in S3")
}

func (s *storage) open() (volume.Source, error) {
	switch s.mode {
	case "bind":
		return volume.Directory{Path: s.dataDir}, nil
	case "none":
		return volume.NewNone(s.dataDir), nil
	case "fuse-s3":
		return s.openFuse()
	}
	return nil, fmt.Errorf("--mode %q is not one of fuse-s3, bind, none", s.mode)
}

func (s *storage) openFuse() (volume.Source, error) {
	backend := s.backend
	if backend == "" {
		if s.s3Endpoint == "" {
			return nil, errors.New("--s3-endpoint is missing, e.g. --s3-endpoint http://10.0.0.1:9000 (or --backend dir=PATH)")
		}
		backend = "s3=" + s.s3Endpoint + "/" + s.s3Bucket
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return volume.Fuse{Backend: backend, Daemon: filepath.Join(filepath.Dir(self), "csi-fuse")}, nil
}
