package main

import (
	"context"
	"log/slog"

	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// registrar answers kubelet's plugin manager.
type registrar struct {
	registration.UnimplementedRegistrationServer
	info   *registration.PluginInfo
	failed chan string // kubelet's reason, once it has refused
}

// GetInfo is kubelet's first question to a new registration socket.
func (r *registrar) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	slog.Info("received GetInfo", "name", r.info.Name, "endpoint", r.info.Endpoint, "versions", r.info.SupportedVersions)
	return r.info, nil
}

// NotifyRegistrationStatus is kubelet's verdict. kubelet ignores the answer and never asks again by itself.
func (r *registrar) NotifyRegistrationStatus(
	_ context.Context, verdict *registration.RegistrationStatus,
) (*registration.RegistrationStatusResponse, error) {
	slog.Info("received NotifyRegistrationStatus", "registered", verdict.PluginRegistered, "error", verdict.Error)
	if !verdict.PluginRegistered {
		select {
		case r.failed <- verdict.Error:
		default:
		}
	}
	return &registration.RegistrationStatusResponse{}, nil
}
