import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics read these numbers only on a scrape (`engine` gives lanes, steps, queues). */
export type MetricSource = () => Readonly<Record<string, number>>;

export type GaugeSource = () => Promise<
  readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[]
>;

export interface SocketCounters {
  open: number;
  framesIn: number;
  framesOut: number;
  bytesIn: number;
  bytesOut: number;
  closed(code: number, seconds: number): void;
}

export interface Metrics {
  readonly registry: Registry;
  request(route: string, method: string, status: number, seconds: number): void;
  /** The frame path increments plain numbers without a look-up; a scrape reads them. */
  socketPath(path: string): SocketCounters;
  /** Exports `trunkline_<module>_<name>` for each number; a name that ends in `_total` is a counter. */
  addSource(name: string, source: MetricSource): void;
  addGauge(options: { name: string; help: string; labelNames: readonly string[]; read: GaugeSource }): void;
  addCounter(name: string, help: string, labelNames: readonly string[]): (...labels: string[]) => void;
  addHistogram(
    name: string,
    help: string,
    labelNames: readonly string[],
  ): (seconds: number, ...labels: string[]) => void;
  text(): Promise<string>;
}

const LATENCIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const SESSIONS = [1, 5, 15, 60, 300, 900, 3600];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const sources = new Map<string, MetricSource>();
  // The timer that measures the event loop's lag wakes an idle process: at 10 ms a hundred times a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  const registers = [registry];
  const requests = new Histogram({
    name: 'trunkline_http_request_seconds',
    help: 'Duration of HTTP requests, from the request line to the last byte of the response.',
    labelNames: ['route', 'method', 'status'],
    buckets: LATENCIES,
    registers,
  });
  const closed = new Histogram({
    name: 'trunkline_socket_seconds',
    help: 'Duration of WebSocket connections, by close code.',
    labelNames: ['path', 'code'],
    buckets: SESSIONS,
    registers,
  });
  const paths = new Map<string, SocketCounters>();
  showSocketCounters(paths, registers);
  return {
    registry,
    request: (route, method, status, seconds) => requests.observe({ route, method, status }, seconds),
    socketPath: (path) => {
      let counters = paths.get(path);
      if (!counters) {
        counters = countersOf((code, seconds) => closed.observe({ path, code }, seconds));
        paths.set(path, counters);
      }
      return counters;
    },
    addSource: (name, source) => sources.set(name, source),
    addGauge: ({ name, help, labelNames, read }) => {
      new Gauge({
        name,
        help,
        labelNames: [...labelNames],
        registers,
        async collect() {
          this.reset();
          for (const { labels, value } of await read().catch(() => [])) this.set(labels, value);
        },
      });
    },
    addCounter: (name, help, labelNames) => {
      const counter = new Counter({ name, help, labelNames: [...labelNames], registers });
      return (...labels) => counter.labels(...labels).inc();
    },
    addHistogram: (name, help, labelNames) => {
      const histogram = new Histogram({
        name,
        help,
        labelNames: [...labelNames],
        buckets: LATENCIES,
        registers,
      });
      return (seconds, ...labels) => histogram.labels(...labels).observe(seconds);
    },
    text: async () =>
      (await registry.metrics()) + [...sources].map(([name, source]) => render(name, source())).join(''),
  };
}

const countersOf = (closed: SocketCounters['closed']): SocketCounters => ({
  open: 0,
  framesIn: 0,
  framesOut: 0,
  bytesIn: 0,
  bytesOut: 0,
  closed,
});

function showSocketCounters(paths: ReadonlyMap<string, SocketCounters>, registers: Registry[]): void {
  const labelNames = ['path', 'direction'];
  new Gauge({
    name: 'trunkline_sockets',
    help: 'Number of open WebSocket connections.',
    labelNames: ['path'],
    registers,
    collect() {
      for (const [path, { open }] of paths) this.set({ path }, open);
    },
  });
  const counter = (name: string, help: string, read: (one: SocketCounters) => [number, number]) =>
    new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [path, one] of paths) {
          const [inward, outward] = read(one);
          this.inc({ path, direction: 'in' }, inward);
          this.inc({ path, direction: 'out' }, outward);
        }
      },
    });
  counter('trunkline_socket_frames_total', 'WebSocket frames, by direction.', (one) => [
    one.framesIn,
    one.framesOut,
  ]);
  counter('trunkline_socket_bytes_total', 'WebSocket payload bytes, by direction.', (one) => [
    one.bytesIn,
    one.bytesOut,
  ]);
}

function render(source: string, numbers: Readonly<Record<string, number>>): string {
  return Object.entries(numbers)
    .map(([name, value]) => {
      const full = `trunkline_${source}_${name}`;
      return `# TYPE ${full} ${name.endsWith('_total') ? 'counter' : 'gauge'}\n${full} ${value}\n`;
    })
    .join('');
}
