import { useEffect, useRef } from 'preact/hooks';
import { type Json, sessionKey } from './api.ts';

export interface LiveEvent {
  readonly type: string;
  readonly at: number;
  readonly data: Json;
}

type Listener = (event: LiveEvent) => void;

const RETRY_MS = [500, 1_000, 3_000, 10_000];
const listeners = new Set<Listener>();
let socket: WebSocket | null = null;
let opening = false;
let failures = 0;

/** All pages share one socket, which is open while any of them listens. */
async function open(): Promise<void> {
  if (socket !== null || opening || listeners.size === 0) return;
  opening = true;
  try {
    const { api_key } = await sessionKey();
    const address = new URL('/v1/live', location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    const one = new WebSocket(address, ['svc.v1', `svc-key.${api_key}`]);
    socket = one;
    one.onopen = () => {
      failures = 0;
    };
    one.onmessage = ({ data }) => {
      const event = JSON.parse(String(data)) as LiveEvent;
      for (const listener of listeners) listener(event);
    };
    one.onclose = () => {
      if (socket !== one) return;
      socket = null;
      again();
    };
  } catch {
    again();
  } finally {
    opening = false;
  }
}

function again(): void {
  if (listeners.size === 0) return;
  const wait = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
  failures += 1;
  setTimeout(open, wait);
}

/** Another project or environment has another key, which needs another socket. */
export function leaveLive(): void {
  const old = socket;
  socket = null;
  old?.close();
  void open();
}

export function useLive(listener: Listener): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const one: Listener = (event) => latest.current(event);
    listeners.add(one);
    void open();
    return () => {
      listeners.delete(one);
      if (listeners.size > 0) return;
      socket?.close();
      socket = null;
    };
  }, []);
}
