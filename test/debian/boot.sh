# A machine of its own under systemd, in namespaces: what this one has, and what is changed stays in the folder given.
# boot.sh FOLDER, as the first process of `unshare --mount --pid --net --ipc --uts --cgroup`.
set -e
root=$1/root
mkdir -p "$root"
mount --make-rprivate /
mount -t tmpfs tmpfs "$root"
for part in usr etc var; do
  mkdir -p "$root/$part" "$1/upper/$part" "$1/work/$part"
  mount -t overlay overlay -o "lowerdir=/$part,upperdir=$1/upper/$part,workdir=$1/work/$part" "$root/$part"
done
for link in bin sbin lib lib64; do ln -s "usr/$link" "$root/$link"; done
mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/run" "$root/tmp" "$root/root" "$root/home" "$root/mnt"
chmod 1777 "$root/tmp"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/sys/fs/cgroup"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs tmpfs "$root/dev"
for device in null zero random urandom full tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm"
mount -t tmpfs tmpfs "$root/dev/shm"
mkdir "$root/dev/pts"
mount -t devpts devpts -o newinstance,ptmxmode=0666 "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mount --bind "$1/given" "$root/mnt"
ip link set lo up
# A container's images forbid packages to start anything: this is a machine.
rm -f "$root/usr/sbin/policy-rc.d"
cat >"$root/etc/systemd/system/alone.target" <<'UNIT'
[Unit]
Description=Nothing but a journal
DefaultDependencies=no
Wants=systemd-journald.socket systemd-journald.service
UNIT
# A new root and not chroot, in which nobody may make namespaces.
mkdir "$root/before"
cd "$root"
pivot_root . before
umount --lazy /before
rmdir /before
exec env -i container=other PATH=/usr/sbin:/usr/bin /lib/systemd/systemd --system --unit=alone.target --log-target=journal --show-status=no </dev/null >/dev/null 2>&1
