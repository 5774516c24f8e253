import { performance } from 'node:perf_hooks';
import { WebSocket } from 'ws';

const AUDIO = 1;
const CONTROL = 3;
const ASK_EVERY_MS = 6_000;
const RETRY_MS = 200;
const ANSWER_WITHIN_MS = 3_000;

/** One live call over Omni, whose client resumes it after each break as the published clients do. */
export class ResumingCall {
  id = '';
  isOver = false;
  wasRefused = false;
  breaks = 0;
  resumes = 0;
  /** When the connection broke, and when the agent was heard again after the last resume. */
  brokeAt = 0;
  heardAgainAt = 0;
  readonly #open: () => WebSocket;
  readonly #timers: NodeJS.Timeout[] = [];
  #token = '';
  #isResuming = false;
  #socket: WebSocket;

  constructor(open: () => WebSocket) {
    this.#open = open;
    this.#socket = this.#connect();
    const silence = Buffer.concat([Buffer.of(AUDIO), Buffer.alloc(640)]);
    this.#timers.push(
      setInterval(() => this.isLive && this.#socket.send(silence), 20),
      setInterval(
        () => this.isLive && this.#control({ type: 'user_text', text: 'When are you open?' }),
        ASK_EVERY_MS,
      ),
    );
  }

  get isLive(): boolean {
    return this.id !== '' && this.#socket.readyState === WebSocket.OPEN;
  }

  end(): void {
    if (this.isLive) this.#control({ type: 'end' });
    this.#finish();
  }

  #finish(): void {
    this.isOver = true;
    for (const timer of this.#timers) clearInterval(timer);
  }

  #connect(): WebSocket {
    const socket = this.#open();
    const late = setTimeout(() => socket.terminate(), ANSWER_WITHIN_MS);
    socket.on('open', () => {
      const voice = { voice_id: 'joe_en_us', greeting: 'Good morning. How can I help you today?' };
      this.#control(
        this.#token === '' ? { type: 'configure', ...voice } : { type: 'configure', resume: this.#token },
        socket,
      );
    });
    socket.on('error', () => undefined);
    socket.on('unexpected-response', () => socket.terminate());
    socket.on('message', (data: Buffer) => {
      if (data[0] === AUDIO && data.length > 1 && this.heardAgainAt === 0)
        this.heardAgainAt = performance.now();
      if (data[0] !== CONTROL) return;
      clearTimeout(late);
      this.#take(JSON.parse(data.subarray(1).toString()));
    });
    socket.on('close', (code) => {
      clearTimeout(late);
      if (this.isOver) return;
      if (this.id !== '' && code === 1000) this.#finish();
      else this.#again(socket);
    });
    return socket;
  }

  #again(broken: WebSocket): void {
    if (broken === this.#socket && this.id !== '' && !this.#isResuming) {
      this.breaks += 1;
      this.brokeAt = performance.now();
      this.#isResuming = true;
    }
    setTimeout(() => {
      if (!this.isOver) this.#socket = this.#connect();
    }, RETRY_MS);
  }

  // biome-ignore lint/suspicious/noExplicitAny: an event of any kind.
  #take(event: any): void {
    if (event.event === 'error' && event.error.code === 'call_not_live') {
      this.wasRefused = true;
      this.#finish();
    }
    if (event.event !== 'configured') return;
    if (event.resumed === true) {
      this.resumes += 1;
      this.heardAgainAt = 0;
    }
    this.id = event.call_id;
    this.#token = event.resume.token;
    this.#isResuming = false;
  }

  #control(message: object, socket = this.#socket): void {
    socket.send(Buffer.concat([Buffer.of(CONTROL), Buffer.from(JSON.stringify(message))]));
  }
}
