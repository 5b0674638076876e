#!/bin/sh
# Felt, under the newest Python of this host that the package has a virtual environment for. Chosen at each start, so
# that an upgrade of the system from one Debian to the next needs nothing else. -I: neither the folder where it is
# called nor anybody's own Python settings reach the table. -B: bytecode comes with the installation alone.
for python in @PYTHONS@; do
    if [ -x "/usr/bin/python$python" ]; then
        exec "/opt/felt/python$python/bin/python3" -I -B -m felt.cli "$@"
    fi
done
echo "felt: this package runs under Python @PYTHONS@, and none of them is installed: apt install python3" >&2
exit 1
