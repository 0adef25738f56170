#!/bin/sh
# The first process of a node, in namespaces of its own: makes the node's root file system, then becomes the
# supervisor. Arguments: the node's cgroup, its root folder, address/prefix, gateway, folder of the Kubernetes
# binaries, supervisor.
set -e
cgroup=$1 root=$2 address=$3 gateway=$4 kube=$5

# A cgroup namespace has its root where its first process is: the node sees its own cgroup as the root of all,
# so whatever its containers make lies below it.
if [ "$NODE_STAGE" != inside ]; then
  for procs in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do
    own=$(dirname "$procs")/$cgroup/cgroup.procs
    if [ -e "$own" ]; then echo 0 >"$own"; fi
  done
  NODE_STAGE=inside exec unshare --cgroup -- sh "$0" "$@"
fi
unset NODE_STAGE
shift 5

mount --bind "$root" "$root"
for folder in /usr /etc/alternatives /etc/ssl; do
  mount --bind "$folder" "$root$folder"
  mount -o remount,bind,ro "$root$folder"
done
mount --bind "$kube" "$root/opt/kube"
mount -o remount,bind,ro "$root/opt/kube"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t sysfs sysfs "$root/sys"
mount -t fusectl fusectl "$root/sys/fs/fuse/connections"
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  mount -t cgroup2 cgroup "$root/sys/fs/cgroup"
  # Version 2 allows no process beside child groups that have controllers.
  mkdir "$root/sys/fs/cgroup/init"
  echo 0 >"$root/sys/fs/cgroup/init/cgroup.procs"
  sed 's/[^ ]*/+&/g' "$root/sys/fs/cgroup/cgroup.controllers" >"$root/sys/fs/cgroup/cgroup.subtree_control"
else
  mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
  awk '$3 == "cgroup" { print $2, $4 }' /proc/self/mounts | while read -r path options; do
    case $path in "$root"*) continue ;; esac
    mkdir "$root$path"
    mount -t cgroup -o "${options#rw,relatime,}" cgroup "$root$path"
  done
  mount -o remount,ro "$root/sys/fs/cgroup"
fi

# The settings of the kernel are the machine's, apart from those of the network, which the node has for itself.
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount --bind "$root/proc/sys/net" "$root/proc/sys/net"
mount -o remount,bind,rw "$root/proc/sys/net"
# kubelet sets these for the whole machine where they differ (pkg/kubelet/cm, setupKernelTunables): it shall
# find them as it wants them, and write nowhere.
for tunable in "$root"/etc/tunables/*; do
  mount --bind "$tunable" "$root/proc/sys/$(basename "$tunable" | tr . /)"
done

# A user namespace may mount proc only where a whole one is in sight (fs/namespace.c, mnt_already_visible): the one
# above is covered in places.
if [ -d "$root/opt/runtime" ]; then
  mkdir "$root/run/proc"
  mount -t proc proc "$root/run/proc"
fi

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
