#!/bin/sh
# workerd that ends with the process that started it, also when that one is killed: it would keep
# its port otherwise. Linux only.
exec setpriv --pdeathsig KILL -- "$KRITAI_WORKERD" "$@"
