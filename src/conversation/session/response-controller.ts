import { AGENT_LANGUAGE_WORDS } from '../../language/text/index.ts';
import type { AgentTurn, TurnFailure } from './agent-turn.ts';
import type { AgentTurns, CallerQuestion, NewTurnOptions } from './agent-turns.ts';
import type { AnswerTerms } from './answer-terms.ts';
import { apologyAfter } from './apologies.ts';
import type { SessionOptions, SessionSettings } from './contract.ts';
import { FailedTurns } from './failed-turns.ts';
import type { Floor } from './floor.ts';
import { phraseOf } from './phrases.ts';
import type { SessionState } from './session-state.ts';
import { Speculation } from './speculation.ts';
import type { TurnNumbers } from './turn-numbers.ts';
import type { CallerUtterance } from './voice-lane.ts';

export interface ResponseControllerOptions {
  readonly session: SessionOptions;
  readonly sessionState: SessionState;
  readonly agent: AgentTurns;
  readonly floor: Floor;
  readonly numbers: TurnNumbers;
  readonly onWordless: (turn: AgentTurn) => void;
}

const wordsOf = (text: string | null): readonly string[] => (text === null ? [] : [text]);

export class ResponseController {
  readonly #options: ResponseControllerOptions;
  readonly #speculation: Speculation;
  readonly #unanswered: FailedTurns;
  #settings: SessionSettings;

  constructor(options: ResponseControllerOptions) {
    this.#options = options;
    const { clock, lane, brain, settings, owner } = options.session;
    this.#settings = settings;
    this.#speculation = new Speculation((turn) => {
      lane.discard(turn.speech);
      this.#guessed('discarded', turn);
    });
    const language = () => this.#settings.language;
    this.#unanswered = new FailedTurns({ clock, brain, language, ...(owner === undefined ? {} : { owner }) });
  }

  get settings(): SessionSettings {
    return this.#settings;
  }

  get failures(): FailedTurns['list'] {
    return this.#unanswered.list;
  }

  /** Returns false where there is neither a greeting nor a consent line. */
  greet(): boolean {
    const { greeting } = this.#settings;
    const { agent, session } = this.#options;
    if (!agent.isConsentPending) session.output.recordingAllowed?.();
    const lines = greeting.trim() === '' ? [] : [greeting];
    if (lines.length === 0 && !agent.isConsentPending) return false;
    this.speakFixed(lines, { yields: true });
    return true;
  }

  configure(change: Partial<SessionSettings>): void {
    this.#settings = { ...this.#settings, ...change };
    this.#speculation.discard();
  }

  speculate(utterance: CallerUtterance, terms?: AnswerTerms): void {
    const { sessionState: state, floor, numbers } = this.#options;
    if (this.#options.session.speculates === false) return;
    if (!state.isLive || utterance.text === '' || floor.turn !== null) return;
    this.#speculation.begin(utterance, () => {
      const question = { turnId: numbers.callerTurn(), text: utterance.text };
      return this.#newTurn(numbers.answerTurn(), { question, held: true, terms });
    });
  }

  discardSpeculation(): void {
    this.#speculation.discard();
  }

  onSpeculationFailed(speech: number): void {
    this.#speculation.failed(speech);
  }

  answer(heard: CallerUtterance, turnId: number, terms?: AnswerTerms): AgentTurn {
    const { floor, numbers } = this.#options;
    const id = numbers.next();
    const guessed = this.#speculation.confirm(heard, id);
    const turn = guessed ?? this.#newTurn(id, { question: { turnId, text: heard.text }, terms });
    floor.giveTo(turn);
    floor.latencies.start(heard, turn);
    floor.watchdog.start();
    if (guessed === null) {
      turn.start();
      return turn;
    }
    this.#guessed('used', guessed);
    guessed.accept();
    // A speculative turn may have finished or failed already.
    if (guessed.done) this.onTurnDone(guessed, guessed.failure);
    return turn;
  }

  answerQuestion(question: CallerQuestion, terms?: AnswerTerms): AgentTurn {
    const { floor, numbers } = this.#options;
    this.#speculation.discard();
    floor.release();
    const turn = this.#newTurn(numbers.next(), { question, terms });
    floor.giveTo(turn);
    floor.latencies.cancel();
    floor.watchdog.start();
    turn.start();
    return turn;
  }

  speakFixed(lines: readonly string[], kind: NewTurnOptions): AgentTurn {
    return this.#say(() => lines, kind);
  }

  apologise(failure: TurnFailure, kind: NewTurnOptions, of?: AgentTurn): void {
    this.#say((id) => wordsOf(this.#apology(of?.id ?? id, failure)), kind);
  }

  onTurnDone(turn: AgentTurn, failure: TurnFailure | null): void {
    const { sessionState: state, floor } = this.#options;
    if (turn !== floor.turn || state.hasEnded) return;
    if (failure === null) {
      this.#unanswered.reset();
      // Nothing of the turn will play, so no playout event will report its end.
      if (turn.words.texts.size === 0) this.#options.onWordless(turn);
      // The watchdog has paused for the tool that ended the turn.
      else if (turn.tools.effect !== null) floor.watchdog.awaitVoice();
      return;
    }
    floor.watchdog.awaitVoice();
    this.#conclude(turn, wordsOf(this.#apology(turn.id, failure)));
  }

  /** Counts the failure. The last permitted one in a row ends the call with these words. */
  #apology(turnId: number, failure: TurnFailure): string | null {
    const { session, sessionState: state, agent } = this.#options;
    session.output.degraded(turnId, 'apology', failure);
    const end = this.#unanswered.add(turnId, failure);
    const { language } = this.#settings;
    const { notHeard, unable } = AGENT_LANGUAGE_WORDS[language].phrases;
    if (end !== null) {
      state.planEnd(end);
      return unable;
    }
    if (failure === 'recognition_failed') return notHeard;
    // A profile's own wording replaces all apologies.
    if (this.#settings.phrases?.apology !== undefined) return phraseOf(this.#settings, 'apology');
    const heard = agent.conversation.messages(turnId);
    return apologyAfter(heard, language, { again: this.#unanswered.isRepeated });
  }

  #say(lines: (id: number) => readonly string[], kind: NewTurnOptions): AgentTurn {
    const { floor, numbers } = this.#options;
    // A line of the agent's may come while another is being said: the later one takes its place.
    floor.release();
    const turn = this.#newTurn(numbers.next(), kind);
    floor.giveTo(turn);
    floor.watchdog.awaitVoice();
    this.#conclude(turn, lines(turn.id));
    return turn;
  }

  /** No playout event ends a silent turn, so it ends here. */
  #conclude(turn: AgentTurn, lines: readonly string[]): void {
    turn.concludeWith(lines);
    if (turn.words.texts.size === 0) this.#options.onWordless(turn);
  }

  #guessed(outcome: 'used' | 'discarded', { brainAskedAt: askedAt }: AgentTurn): void {
    const { clock, output } = this.#options.session;
    const now = clock.monotonic();
    output.speculationResolved(outcome, now - (askedAt ?? now));
  }

  #newTurn(id: number, kind: NewTurnOptions): AgentTurn {
    return this.#options.agent.newTurn(id, this.#settings, kind);
  }
}
