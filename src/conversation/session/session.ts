import type { EngineVoice } from '../../media/engine/index.ts';
import { AgentSide } from './agent-side.ts';
import { Answering } from './answering.ts';
import { Beside } from './beside.ts';
import type { EndReason, SessionOptions, SessionSettings } from './contract.ts';
import type { Conversation } from './conversation.ts';
import { Floor } from './floor.ts';
import { Interludes } from './interludes.ts';
import type { Latencies } from './latency.ts';
import { Life } from './life.ts';
import { Listening } from './listening.ts';
import { Patience } from './patience.ts';
import { phraseOf } from './phrases.ts';
import { Sounding } from './sounding.ts';
import { TurnNumbers } from './turn-numbers.ts';
import type { CallerUtterance, LaneEvent } from './voice-lane.ts';

/** How long the end waits for the lane's account of what was heard. */
const LAST_WORD_MS = 500;
/** Whoever hangs up while the agent takes its leave does not end the call: that is decided. */
const HANGS_UP: ReadonlySet<EndReason> = new Set(['client_ended', 'client_gone']);

/** One live call: who has the turn, what was said and heard, and how it ends. It owns no socket and no sample. */
export class Session {
  readonly conversation: Conversation;
  /** What comes beside the caller's own voice. */
  readonly beside: Beside;
  readonly #options: SessionOptions;
  readonly #life = new Life();
  readonly #numbers = new TurnNumbers();
  readonly #floor: Floor;
  readonly #listening: Listening;
  readonly #answering: Answering;
  readonly #sounding: Sounding;
  readonly #interludes: Interludes;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { clock, lane, output } = options;
    const life = this.#life;
    const numbers = this.#numbers;
    const agent = new AgentSide(options, {
      before: () => floor.told(),
      onToolsRunning: () => patience.stop(),
      onWaiting: () => patience.start(),
      onDone: (turn, failure) => answering.turnDone(turn, failure),
    });
    const patience: Patience = new Patience({
      clock,
      times: options.ladder,
      turn: () => floor.turn,
      thinking: () => phraseOf(answering.settings, 'thinking'),
      output,
      callerSpeaks: () => listening.speaks,
      mute: () => this.end('engine_failed'),
    });
    const transcript = (role: 'user' | 'agent') => (turnId: number, text: string, final: boolean) => {
      if (!life.hasEnded) output.transcript({ role, turnId, text, final });
    };
    const settled = () => {
      if (life.isUntold && !floor.isWaiting) this.#close();
    };
    const floor: Floor = new Floor({
      clock,
      lane,
      output,
      agent,
      patience,
      transcript: transcript('agent'),
      settled,
    });
    const answering: Answering = new Answering({
      session: options,
      life,
      agent,
      floor,
      numbers,
      onWordless: (turn) => this.#sounding.wordless(turn),
    });
    const listening: Listening = new Listening({
      clock,
      numbers,
      conversation: agent.conversation,
      idle: options.idle,
      transcript: transcript('user'),
      onKeys: (keys) => this.#takeTurn(keys),
      speech: (kind, atMs) => {
        if (!life.hasEnded) output.speech(kind, atMs);
      },
      onIdle: (gone) => this.beside.idle(gone),
      onNoTurn: () => this.#sounding.sayNext(),
    });
    this.conversation = agent.conversation;
    this.#floor = floor;
    this.#answering = answering;
    this.#listening = listening;
    const { conversation } = agent;
    const interludes = new Interludes({ lane, life, floor, numbers, answering, listening, conversation });
    this.#interludes = interludes;
    this.beside = new Beside({
      life,
      floor,
      answering,
      interludes,
      conversation,
      listening,
      takeTurn: (utterance) => this.#takeTurn(utterance),
      end: (reason) => this.#end(reason),
    });
    this.#sounding = new Sounding({
      life,
      floor,
      listening,
      answering,
      output,
      begin: (interlude) => interludes.begin(interlude),
      end: (reason) => this.end(reason),
      endAsDecided: () => life.asDecided((reason) => this.#end(reason)),
      answered: (answer) => this.#takeTurn(answer),
    });
  }

  get latencies(): Latencies['list'] {
    return this.#floor.latencies.list;
  }

  get failures(): Answering['failures'] {
    return this.#answering.failures;
  }

  /** Speaks the consent line and the greeting as turn 0. */
  start(): void {
    if (!this.#answering.greet()) this.#numbers.take();
    this.#listening.wait();
  }

  /** From the next turn on. */
  reconfigure(change: Partial<SessionSettings>, voice: EngineVoice | null): void {
    this.#answering.configure(change);
    const { lane } = this.#options;
    this.#floor.change(() => {
      if (voice !== null) lane.setVoice(voice);
      if (change.language !== undefined) lane.setLanguage(change.language);
    });
  }

  /** Speaks the customer's own words: behind what is being said and what the caller says, or at once. False: too many wait already. */
  say(text: string, { interrupt = false } = {}): boolean {
    if (!this.#life.isLive) return true;
    const { sayings } = this.#floor;
    if (!interrupt) {
      if (!sayings.add(text)) return false;
      this.#sounding.sayNext();
      return true;
    }
    this.#answering.discardGuess();
    this.#floor.leave();
    sayings.clear();
    this.#answering.sayFixed([text], { yields: false });
    return true;
  }

  /** The client wants the agent to stop, whether it speaks already or only thinks of what to say. */
  interrupt(): void {
    if (this.#life.hasEnded) return;
    const floor = this.#floor;
    floor.sayings.clear();
    if (floor.turn === null || floor.silence()) return;
    floor.leave();
    floor.sayings.clear();
    this.#listening.wait();
  }

  /** Keys pressed by the caller silence the agent at once, and take the turn like words when the last of them has come. */
  dtmf(digits: string, atMs: number): void {
    if (!this.#life.isLive) return;
    this.#listening.stopWaiting();
    this.#answering.discardGuess();
    this.#floor.leave();
    this.#listening.press(digits, atMs);
  }

  end(reason: EndReason): void {
    if (this.#life.hasEnded) return;
    if (this.#life.decided === null || !HANGS_UP.has(reason)) this.#end(reason);
    else this.#life.asDecided((decided) => this.#end(decided));
  }

  /** After `end` only what the cut still reports is taken in. */
  take(event: LaneEvent): void {
    switch (event.kind) {
      case 'audio':
        this.#floor.patience.sounded();
        if (!this.#life.hasEnded) this.#options.output.audio(event.pcm);
        return;
      case 'speech_start':
        this.#listening.began(event.atMs);
        return;
      case 'partial':
        this.#listening.heard(event.text);
        return;
      case 'eager_end':
        this.#listening.guessed(event);
        if (!this.#interludes.active) this.#answering.speculate(event);
        return;
      case 'continued':
        this.#answering.discardGuess();
        return;
      case 'final':
        this.#listening.done(event.endMs);
        this.#takeTurn(event);
        return;
      case 'key':
        this.dtmf(event.key, event.atMs);
        return;
      case 'music':
        return;
      case 'lost':
        this.#listening.done();
        this.#askAgain();
        return;
      case 'backchannel':
        this.#listening.done(event.endMs);
        this.#hearBackchannel(event);
        return;
      case 'playing':
        this.#floor.startedPlaying(event.speech, event.segment, event.atMs);
        return;
      case 'speech_played':
        this.#sounding.finished(event.speech, event.segments);
        return;
      case 'cut':
        this.#sounding.cut(event);
        return;
      case 'speech_failed':
        if (this.#floor.turn?.speech === event.speech) this.end('engine_failed');
        else this.#answering.guessFailed(event.speech);
        return;
      case 'engine_failed':
        this.end('engine_failed');
    }
  }

  #end(reason: EndReason): void {
    if (this.#life.hasEnded) return;
    this.#listening.tell();
    this.#listening.noteLast();
    this.#life.end(reason);
    this.#listening.stopWaiting();
    this.#answering.discardGuess();
    this.#interludes.drop();
    this.#options.desk.close();
    this.#floor.leave();
    if (this.#floor.isWaiting) this.#options.clock.after(LAST_WORD_MS, () => this.#close());
    else this.#close();
  }

  #close(): void {
    const reason = this.#life.tell();
    if (reason === null) return;
    this.#options.lane.close();
    this.#options.output.ended(reason);
  }

  #takeTurn(utterance: CallerUtterance): void {
    if (!this.#life.isLive) return;
    const listening = this.#listening;
    listening.tell();
    if (utterance.text.trim() === '') {
      this.#answering.discardGuess();
      if (this.#interludes.waits) this.#interludes.silence();
      else listening.hadNoTurn();
      return;
    }
    listening.answered();
    this.#floor.leave();
    const heard = listening.withKeys(utterance);
    const { text, startMs, endMs } = heard;
    const turnId = this.#numbers.callerIsDone();
    this.#options.output.transcript({ role: 'user', turnId, text, final: true });
    this.conversation.user({ turnId, text, startMs, endMs });
    if (this.#interludes.active) this.#interludes.hear(heard);
    else this.#answering.answer(heard, turnId);
  }

  /** The caller spoke, and nobody knows what was said: a turn of theirs without words. */
  #askAgain(): void {
    if (!this.#life.isLive) return;
    this.#answering.discardGuess();
    this.#listening.answered();
    this.#floor.leave();
    this.#floor.latencies.lost();
    this.#numbers.callerIsDone();
    if (this.#interludes.active) this.#interludes.silence();
    else this.#answering.apologise('recognition_failed', { yields: true });
  }

  #hearBackchannel(utterance: CallerUtterance): void {
    const listening = this.#listening;
    listening.tell();
    const { turn } = this.#floor;
    if (utterance.text !== '' && this.#life.isLive) {
      if (turn !== null && listening.keep(utterance, turn)) return;
      if (turn === null && this.conversation.agentHasAsked) {
        this.#takeTurn(utterance);
        return;
      }
    }
    listening.note(utterance, turn?.id ?? this.#numbers.ofCaller());
  }
}
