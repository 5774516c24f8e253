import { context, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';

export interface Tracing {
  readonly tracer: Tracer;
  flush(): Promise<void>;
  stop(): Promise<void>;
}

export type { Span };
export { context, SpanStatusCode, trace };

/** Sends spans to an OpenTelemetry collector. The libraries load only when one is configured. */
export async function startTracing(otlpUrl: string): Promise<Tracing> {
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const exporter = new OTLPTraceExporter({ url: tracesUrl(otlpUrl) });
  const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
  return {
    tracer: provider.getTracer('trunkline'),
    flush: () => provider.forceFlush(),
    stop: () => provider.shutdown(),
  };
}

function tracesUrl(address: string): string {
  const url = new URL(address);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return url.href;
}
