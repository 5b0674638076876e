#!/bin/sh
# Simulated GPIO chips, by /etc/machine-chips: a name, a label and the number of lines in each row. Every line begins
# high, as a contact that nothing closes.
set -eu
modprobe gpio-sim
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config
while read -r name label lines; do
    chip=/sys/kernel/config/gpio-sim/$name
    mkdir -p "$chip/bank0"
    echo "$lines" >"$chip/bank0/num_lines"
    echo "$label" >"$chip/bank0/label"
    echo 1 >"$chip/live"
    for pull in "/sys/devices/platform/$(cat "$chip/dev_name")/$(cat "$chip/bank0/chip_name")"/sim_gpio*/pull; do
        echo pull-up >"$pull"
    done
done </etc/machine-chips
