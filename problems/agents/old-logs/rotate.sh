# Fills the folder as a server of three days would.
mkdir -p logs/archive data
for day in 1 2 3; do
  for n in $(seq 1 60); do
    printf '2026-03-0%d 12:%02d:00 INFO request %04d took %d ms, client 10.0.0.%d\n' "$day" "$((n - 1))" "$((day * 1000 + n))" "$((n * 37 % 211))" "$((n % 9))"
  done > "logs/day-$day.log"
done
cp logs/day-1.log logs/archive/day-0.log
printf 'id,amount\n1,20\n2,35\n' > data/orders.csv
printf 'log_level=info\nlog_dir=logs\n' > server.conf
