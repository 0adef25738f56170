#!/bin/sh
# The first process of a node, in namespaces of its own: makes the node's root file system, then becomes the
# supervisor. Arguments: root folder, address/prefix, gateway, folder of the Kubernetes binaries, supervisor.
set -e
root=$1 address=$2 gateway=$3 kube=$4
shift 4

mount --bind "$root" "$root"
for folder in /usr /etc/alternatives /etc/ssl; do
  mount --bind "$folder" "$root$folder"
  mount -o remount,bind,ro "$root$folder"
done
mount --bind "$kube" "$root/opt/kube"
mount -o remount,bind,ro "$root/opt/kube"
# The machine's /sys and not a fresh one, which would lack the cgroup hierarchies.
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/run"

# kubelet sets these for the whole machine where they differ (pkg/kubelet/cm, setupKernelTunables): it shall
# find them as it wants them, and write nowhere.
for tunable in "$root"/etc/tunables/*; do
  mount --bind "$tunable" "$root/proc/sys/$(basename "$tunable" | tr . /)"
done

cd "$root"
pivot_root . mnt
umount -l /mnt
# As systemd leaves it on a real node: mounts of a driver's container are to reach kubelet and the apps.
mount --make-rshared /

hostname "$(cat /etc/hostname)"
ip link set lo up
until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
ip address add "$address" dev eth0
ip link set eth0 up
ip route add default via "$gateway"
exec "$@"
