root=$1
program=$2
there=$3
shift 3
for folder in dev proc sys tmp; do mkdir -p "$root/$folder"; done
for folder in dev proc sys; do mount --rbind "/$folder" "$root/$folder"; done
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
: >"$root$there"
mount --bind "$program" "$root$there"
cd "$root"
exec chroot "$root" "$there" "$@"
