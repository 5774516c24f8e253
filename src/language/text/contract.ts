export type LanguageCode = 'en' | 'es' | 'fr' | 'de' | 'hi' | 'it' | 'pt' | 'nl';

export type AgentLanguage = 'en' | 'es' | 'fr' | 'hi' | 'de';

/** The words or phrases are folded (see `fold`); single spaces separate the words of a phrase. */
export type PhraseList = readonly string[];

export interface NumberWords {
  readonly counted: readonly string[];
  /** The index is the number of tens; the list is empty where tens and ones are not joined. */
  readonly tens: readonly string[];
  readonly others: ReadonlyMap<string, number>;
  readonly hundreds: Readonly<Record<string, number>>;
  readonly scales: Readonly<Record<string, number>>;
  readonly articles: PhraseList;
  readonly minus: PhraseList;
  readonly points: PhraseList;
  readonly halves: PhraseList;
  /** "Double five" is 55. */
  readonly repeats: Readonly<Record<string, number>>;
  readonly zeros: PhraseList;
}

export interface CalendarWords {
  readonly weekdays: PhraseList;
  readonly months: PhraseList;
  readonly alsoWeekdays: Readonly<Record<string, number>>;
  readonly alsoMonths: Readonly<Record<string, number>>;
  /** The values are days from today. */
  readonly relative: Readonly<Record<string, number>>;
  readonly ordinals: Readonly<Record<string, number>>;
  readonly joiners: PhraseList;
  readonly yearJoiners: PhraseList;
  /** The word "in" precedes a count of days or weeks; languages that put it after use `later`. */
  readonly ahead: PhraseList;
  readonly later: PhraseList;
  readonly days: PhraseList;
  readonly weeks: PhraseList;
  readonly dayLeads: PhraseList;
  readonly dayTails: PhraseList;
  readonly nextBefore: PhraseList;
  readonly nextBehind: PhraseList;
  readonly thisBefore: PhraseList;
}

export type PartOfDay = 'morning' | 'afternoon' | 'evening' | 'night';

export interface ClockWords {
  /** A part may need one of the words before it. */
  readonly parts: readonly (readonly [phrase: string, part: PartOfDay, before?: PhraseList])[];
  readonly hours: PhraseList;
  readonly minutes: PhraseList;
  readonly markers: PhraseList;
  readonly fixed: Readonly<Record<string, number>>;
  readonly behind: Readonly<Record<string, number>>;
  readonly signs: Readonly<Record<string, number>>;
  readonly halfTo: PhraseList;
  readonly quarters: PhraseList;
  readonly past: PhraseList;
  readonly to: PhraseList;
  readonly pastBehind: PhraseList;
}

export interface ConsentWords {
  readonly yes: PhraseList;
  readonly no: PhraseList;
  readonly reserved: PhraseList;
  readonly negation: PhraseList;
  readonly polite: PhraseList;
}

export interface SpellingWords {
  readonly letters: Readonly<Record<string, string>>;
  readonly alphabet: readonly string[];
  readonly positions: Readonly<Record<string, number>>;
  readonly insteadOf: PhraseList;
  readonly around: PhraseList;
  readonly names: PhraseList;
  readonly asIn: PhraseList;
  readonly at: PhraseList;
  readonly dot: PhraseList;
  readonly dash: PhraseList;
  readonly underscore: PhraseList;
  readonly plus: PhraseList;
}

export interface AgentPhrases {
  readonly filler: string;
  readonly apology: string;
  readonly trouble: string;
  /** The caller spoke, but recognition returned no words. */
  readonly notHeard: string;
  readonly unable: string;
  readonly stillThere: string;
  readonly greeting: string;
  readonly unknown: string;
  readonly leaveMessage: string;
  readonly messageTaken: string;
  readonly again: string;
  readonly thanks: string;
  readonly farewell: string;
  /** The caller has resumed a call after a lost connection. */
  readonly resumed: string;
  readonly handOver: string;
  readonly goOn: string;
  readonly confirm: string;
  readonly nothingSaid: string;
  readonly automated: string;
}

export interface CapturePhrases {
  readonly what: Readonly<Record<CaptureNoun, string>>;
  readonly ask: string;
  readonly again: string;
  readonly more: string;
  readonly character: string;
  readonly places: readonly string[];
  readonly halfOfDay: string;
  readonly day: string;
  readonly check: string;
  readonly readBack: string;
  readonly whatIsWrong: string;
  readonly whichOne: string;
  readonly keypad: string;
  readonly keys: Readonly<Partial<Record<CaptureNoun, string>>>;
  readonly spell: string;
  readonly records: RecordPhrases;
}

/** The phrases offer values of the customer's records; `{}` is the first of two, `{2}` the second. */
export interface RecordPhrases {
  readonly offerOne: string;
  readonly offerTwo: string;
  readonly pressTwo: string;
  readonly withLetters: string;
  readonly double: string;
  readonly single: string;
  readonly notFound: string;
  readonly keypad: string;
  readonly neither: PhraseList;
}

export type CaptureNoun =
  | 'digits'
  | 'phone'
  | 'email'
  | 'name'
  | 'code'
  | 'date'
  | 'time'
  | 'amount'
  | 'yes_no';

export interface SmallTalk {
  /** Fillers may stand beside any phrase and have no meaning of their own. */
  readonly fillers: PhraseList;
  readonly greet: PhraseList;
  readonly thank: PhraseList;
  readonly end: PhraseList;
  readonly repeat: PhraseList;
  readonly stop: PhraseList;
  readonly identity: PhraseList;
  /**
   * An utterance asks for a human by one of the first list shortly before one of the last, by one of the second
   * together with the last, or by the last alone.
   */
  readonly connect: PhraseList;
  readonly want: PhraseList;
  readonly somebody: PhraseList;
}

/** The words separate instructions for the agent from facts in a persona. */
export interface PersonaWords {
  readonly self: readonly (readonly [opening: string, own: string])[];
  readonly instructionTitles: PhraseList;
  readonly factTitles: PhraseList;
  readonly commands: PhraseList;
  readonly secondPerson: PhraseList;
  /** A line with such a phrase is about callers or internal matters. */
  readonly inward: PhraseList;
  /** A sentence with such a phrase keeps something confidential. */
  readonly secret: PhraseList;
  /** The words refer from a confidential sentence to the one before it, or to those after it. */
  readonly backward: PhraseList;
  readonly forward: PhraseList;
  /** The phrases contain such a word without referring to anything. */
  readonly impersonal: PhraseList;
  readonly human: PhraseList;
}

export interface SearchWords {
  /** Words that say nothing about the subject of a sentence. */
  readonly stopWords: PhraseList;
  /**
   * Stemming removes these endings so that "opening", "opens" and "opened" match; the longest that leaves three
   * letters wins.
   */
  readonly endings: PhraseList;
}

export interface LanguageWords {
  readonly name: string;
  readonly numbers: NumberWords;
  readonly calendar: CalendarWords;
  readonly clock: ClockWords;
  readonly consent: ConsentWords;
  readonly spelling: SpellingWords;
}

export interface AgentLanguageWords extends LanguageWords {
  readonly phrases: AgentPhrases;
  readonly capture: CapturePhrases;
  readonly smallTalk: SmallTalk;
  readonly persona: PersonaWords;
  readonly search: SearchWords;
}
