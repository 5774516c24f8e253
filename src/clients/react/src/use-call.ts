'use client';

import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { type CallEvent, createWidget, type Session, type Transport, type Widget } from './widget.js';

export interface CallOptions {
  /** Where the server is: `https://voice.example.com`. */
  readonly server: string;
  /** A path of the page's own server that answers `POST {"transport"}` with a session. */
  readonly session?: string;
  readonly getSession?: (transport: Transport) => Promise<Session>;
  readonly transport?: Transport;
  readonly configure?: Readonly<Record<string, unknown>>;
  readonly language?: string;
  readonly reconnect?: number;
  readonly onEvent?: (event: CallEvent) => void;
}

/** `unavailable`: the widget could not be loaded, as `error` says. */
export type CallState = 'loading' | 'idle' | 'calling' | 'live' | 'over' | 'unavailable';

export interface Call {
  readonly state: CallState;
  /** What was said, a line for each turn; the newest may still change. */
  readonly captions: readonly string[];
  readonly error: string | null;
  readonly isMuted: boolean;
  readonly start: () => void;
  readonly hangUp: () => void;
  readonly mute: (on: boolean) => void;
  readonly sendKeys: (digits: string) => void;
  /** Of an element that shows the widget's own controls; without it there are none. */
  readonly container: RefObject<HTMLSpanElement | null>;
}

interface Shown {
  readonly state: CallState;
  readonly captions: readonly string[];
  readonly error: string | null;
  readonly isMuted: boolean;
}

const LOADING: Shown = { state: 'loading', captions: [], error: null, isMuted: false };

export function useCall(options: CallOptions): Call {
  const [shown, setShown] = useState(LOADING);
  const container = useRef<HTMLSpanElement>(null);
  const widget = useRef<Widget | null>(null);
  const newest = useRef(options);
  newest.current = options;
  const { server } = options;

  useEffect(() => {
    const mount = new Mount(newest, setShown);
    void mount.open(server, container.current).then((opened) => {
      if (opened) widget.current = opened;
    });
    return () => {
      widget.current = null;
      mount.close();
      setShown(LOADING);
    };
  }, [server]);

  const { state, captions, error, isMuted } = shown;
  return {
    state,
    captions,
    error,
    isMuted,
    container,
    start: useCallback(() => void widget.current?.call(), []),
    hangUp: useCallback(() => widget.current?.hangUp(), []),
    mute: useCallback((on: boolean) => widget.current?.mute(on), []),
    sendKeys: useCallback((digits: string) => widget.current?.control({ type: 'dtmf', digits }), []),
  };
}

/** A widget in the page, and what it shows as the state of a hook. */
class Mount {
  readonly #options: RefObject<CallOptions>;
  readonly #show: (shown: Shown) => void;
  readonly #observer: MutationObserver;
  #widget: Widget | null = null;
  #isClosed = false;

  constructor(options: RefObject<CallOptions>, show: (shown: Shown) => void) {
    this.#options = options;
    this.#show = show;
    this.#observer = new MutationObserver(() => this.#read());
  }

  async open(server: string, container: HTMLElement | null): Promise<Widget | null> {
    const widget = await createWidget(server).catch((error: Error) => error);
    if (this.#isClosed) return null;
    if (widget instanceof Error) {
      this.#show({ ...LOADING, state: 'unavailable', error: widget.message });
      return null;
    }
    this.#configure(widget);
    if (container === null) widget.hidden = true;
    (container ?? document.body).append(widget);
    this.#widget = widget;
    this.#observer.observe(widget, { attributes: true });
    const everything = { attributes: true, childList: true, characterData: true, subtree: true };
    this.#observer.observe(widget.shadowRoot as ShadowRoot, everything);
    this.#read();
    return widget;
  }

  #configure(widget: Widget): void {
    const { session, getSession, transport, configure, language, reconnect } = this.#options.current;
    const attributes = {
      session,
      transport,
      lang: language,
      reconnect,
      configure: configure && JSON.stringify(configure),
    };
    for (const [name, value] of Object.entries(attributes))
      if (value !== undefined) widget.setAttribute(name, String(value));
    if (getSession) widget.getSession = (by) => (this.#options.current.getSession ?? getSession)(by);
    widget.addEventListener('trunkline', (event) =>
      this.#options.current.onEvent?.((event as CustomEvent<CallEvent>).detail),
    );
  }

  #read(): void {
    const root = this.#widget?.shadowRoot;
    if (!root) return;
    const error = root.querySelector('[role=alert]')?.textContent;
    this.#show({
      state: (this.#widget?.dataset.state ?? 'idle') as CallState,
      captions: [...root.querySelectorAll('[role=log] p')].map(({ textContent }) => textContent ?? ''),
      error: error ? error : null,
      isMuted: root.querySelector('[part~=mute]')?.getAttribute('aria-pressed') === 'true',
    });
  }

  /** A widget that leaves the page hangs up. */
  close(): void {
    this.#isClosed = true;
    this.#observer.disconnect();
    this.#widget?.remove();
    this.#widget = null;
  }
}
