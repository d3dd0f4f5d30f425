# sh gate.sh hold | release | fail-once: what the receivers look for where their work begins.
case "$1" in
  hold) : > "$SHOP_GATE/hold" ;;
  release) rm -f "$SHOP_GATE/hold" ;;
  fail-once) : > "$SHOP_GATE/fail" ;;
esac
