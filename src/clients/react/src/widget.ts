export type Transport = 'webrtc' | 'websocket';

/** What `POST /v1/omni/sessions` answers to your server. */
export interface Session {
  readonly token: string;
  readonly url: string;
}

/** A control message of the call: `configured`, `tool_call`, `barge_in`, `ended` and the others of the contract. */
export interface CallEvent {
  readonly event: string;
  readonly [field: string]: unknown;
}

/** The part of `<trunkline-call>` that this package uses. */
export interface Widget extends HTMLElement {
  getSession: (transport: Transport) => Promise<Session>;
  call(): Promise<void>;
  hangUp(): void;
  mute(on: boolean): void;
  control(message: { readonly type: string; readonly [field: string]: unknown }): void;
}

/** A published version's bytes never change, so that a page can check them. */
const VERSION = 'v12';
const INTEGRITY = 'sha256-q5xXgd09tSdnoeq1cSv0145buYFoz0F9KCfOxRHtPDI=';
const TAG = 'trunkline-call';

let loading: Promise<void> | null = null;

export async function createWidget(server: string): Promise<Widget> {
  if (!customElements.get(TAG)) {
    loading ??= load(server);
    await loading.catch((error: unknown) => {
      loading = null;
      throw error;
    });
  }
  return document.createElement(TAG) as Widget;
}

function load(server: string): Promise<void> {
  const script = document.createElement('script');
  script.src = `${server.replace(/\/+$/, '')}/widget/${VERSION}/widget.js`;
  script.integrity = INTEGRITY;
  script.crossOrigin = 'anonymous';
  return new Promise((resolve, reject) => {
    script.onload = () => resolve();
    script.onerror = () => {
      script.remove();
      reject(new Error(`${script.src} cannot be loaded`));
    };
    document.head.append(script);
  });
}
