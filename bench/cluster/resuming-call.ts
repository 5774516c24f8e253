import { performance } from 'node:perf_hooks';
import { pause } from '../../src/apps/caller/index.ts';

const FRAME_MS = 20;
const ASK_EVERY_MS = 6_000;
const RETRY_MS = 200;
const FRAME = new Uint8Array(640);

/** The part of the published TypeScript client that a call uses. */
export interface PublishedClient {
  connect(options: { readonly configure: object }): Promise<PublishedSession>;
}

interface PublishedSession extends AsyncIterable<PublishedEvent> {
  readonly connection: { readonly received: number };
  readonly configured: { readonly call_id: string };
  sendAudio(pcm: Uint8Array): void;
  userText(text: string): void;
  end(): void;
}

type PublishedEvent =
  | { readonly kind: 'audio' | 'transcript' | 'event' }
  | { readonly kind: 'connection'; readonly state: 'lost' | 'resumed' };

/** One live call over Omni, held and resumed by the published client. */
export class ResumingCall {
  id = '';
  isOver = false;
  breaks = 0;
  resumes = 0;
  /** When the connection broke, and when the agent was heard again after the last resume. */
  brokeAt = 0;
  heardAgainAt = 0;
  /** The longest time in which no message came over a connection, since the last `watchGaps`. */
  longestGapMs = 0;
  readonly #client: PublishedClient;
  readonly #timers: NodeJS.Timeout[];
  #session: PublishedSession | null = null;
  #isConnected = false;
  #received = -1;
  #receivedAt = 0;

  constructor(client: PublishedClient) {
    this.#client = client;
    this.#timers = [
      setInterval(() => this.#tick(), FRAME_MS),
      setInterval(() => this.#session?.userText('When are you open?'), ASK_EVERY_MS),
    ];
    void this.#run();
  }

  get isLive(): boolean {
    return this.#session !== null && this.#isConnected;
  }

  watchGaps(): void {
    this.longestGapMs = 0;
    this.#receivedAt = performance.now();
  }

  end(): void {
    this.#session?.end();
    this.#finish();
  }

  #tick(): void {
    if (this.#session === null) return;
    const { received } = this.#session.connection;
    const now = performance.now();
    if (received !== this.#received) this.#receivedAt = now;
    this.#received = received;
    this.longestGapMs = Math.max(this.longestGapMs, now - this.#receivedAt);
    if (this.#isConnected) this.#session.sendAudio(FRAME);
  }

  #finish(): void {
    this.isOver = true;
    this.#isConnected = false;
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #run(): Promise<void> {
    const configure = { voice_id: 'joe_en_us', greeting: 'Good morning. How can I help you today?' };
    while (!this.isOver && this.#session === null) {
      this.#session = await this.#client.connect({ configure }).catch(() => null);
      if (this.#session === null) await pause(RETRY_MS);
    }
    if (this.#session === null) return;
    if (this.isOver) this.#session.end();
    this.id = this.#session.configured.call_id;
    this.#isConnected = true;
    try {
      for await (const event of this.#session) this.#take(event);
    } catch {
      // The client gave up: the call was not resumed in time, or was refused.
    }
    this.#finish();
  }

  #take(event: PublishedEvent): void {
    if (event.kind === 'audio' && this.heardAgainAt === 0) this.heardAgainAt = performance.now();
    if (event.kind !== 'connection') return;
    this.#isConnected = event.state === 'resumed';
    if (event.state === 'lost') {
      this.breaks += 1;
      this.brokeAt = performance.now();
    } else {
      this.resumes += 1;
      this.heardAgainAt = 0;
    }
  }
}
