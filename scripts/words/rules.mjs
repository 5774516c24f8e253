/**
 * The words that names do not use, the openings that make a comment a fragment, and the folders that are clean of both.
 *
 * A rule's `pattern` is tested against a name in lower case whose parts are joined by hyphens: `KeptSounds` and
 * `KEPT_SOUNDS` are `kept-sounds`. `kinds` limits a rule to kinds of declarations (`file`, `type`, `function`, `value`),
 * `where` to paths: `hold` is the right word for a call on hold, and the wrong one for a reservation of credit.
 */
const TYPES = ['type', 'file'];

export const LEFT_OUT = [
  { pattern: /\bdeaths?\b|\bdead-(?:key|credential)s?\b/, say: 'credential revocation' },
  { pattern: /\bhands\b(?!-over)/, say: 'concurrency limiter, semaphore or in-flight jobs' },
  { pattern: /\bfair-turns?\b/, say: 'fair scheduler or rate limiter' },
  { pattern: /\ballowances?\b/, say: 'token bucket' },
  { pattern: /\bbesides?\b/, say: 'typed input, context injection or concurrent' },
  { pattern: /^company(?:-|$)/, kinds: TYPES, say: 'conference mixer or participants' },
  { pattern: /\binsist(?:s|ed|ing)?\b/, say: 'retry with backoff' },
  { pattern: /\bpatience\b/, say: 'deadline or timeout' },
  { pattern: /\brests\b/, say: 'circuit breaker' },
  { pattern: /\bowed\b/, say: 'reservation, ledger or outstanding usage' },
  { pattern: /\bholds?\b/, where: /\/foundation\/billing\//, say: 'reservation' },
  { pattern: /\bmoney\b/, say: 'ledger, usage record, meter or rating' },
  { pattern: /\bears?\b/, say: 'echo canceller, listener or lane' },
  { pattern: /\bwalls?\b(?!-(?:clock|in|ms|offset|seconds|time))/, say: 'sandbox' },
  { pattern: /\b(?:shelf|shelves)\b/, say: 'cache, index or registry' },
  { pattern: /\bborders?\b(?!-(?:width|radius|color|style))/, say: 'tenant isolation' },
  {
    pattern: /^reach$|^reach-(?:of|in|for)\b|(?<!\b(?:may|can|could|not|cannot))-reach$/,
    say: 'tenant scope, or window',
  },
  { pattern: /^asked$/, kinds: TYPES, say: 'the thing itself, such as request or query' },
  { pattern: /\btold\b/, say: 'published, notified or reported' },
  { pattern: /\b(?:tells?|telling)\b/, where: /^(?!native\/)/, say: 'publish, notify or report' },
  { pattern: /^(?:given|kept|made|said|held|heard|wanted)$/, kinds: TYPES, say: 'the thing itself' },
  { pattern: /\bkept\b/, say: 'cached, stored or retained' },
  { pattern: /(?<!price-)\bbooks?\b/, say: 'repository, store or registry' },
  { pattern: /\bdesks?\b/, say: 'dispatcher, service or handler' },
  { pattern: /\brooms?\b(?!-(?:tone|impulse|response|acoustics))/, say: 'module, service or capacity' },
  { pattern: /\bdoors?\b/, say: 'entry point or interface' },
  { pattern: /\bwhom\b/, say: 'caller, recipient or participant' },
  { pattern: /\bafterwards\b/, say: 'post-call processing' },
  { pattern: /^life$|\bwhat-follows\b/, say: 'state machine, transition or effect' },
  // Customers read the field `likeness` in results of AMD, Dub and Trace.
  {
    pattern: /\blikeness\b/,
    where: /^(?!src\/(?:products\/(?:amd|dub|trace)|speech\/amd)\/|bench\/)/,
    say: 'speaker similarity',
  },
  { pattern: /\bheard-so-far\b/, say: 'playout position' },
  { pattern: /\b(?:read|open)-mark\b|\bmark-(?:added|kernel|policy|reading)\b/, say: 'watermark' },
  // The figures of `trunkline measure` have the field `false_cuts`.
  {
    pattern: /\bfalse-cuts?\b/,
    where: /^(?!src\/apps\/measure\/figures|bench\/)/,
    say: 'false interruption',
  },
  { pattern: /\b(?:to|in|of|generated)-signs?$|\bsigns?-of-listening\b|^signs-of\b/, say: 'backchannel' },
  {
    pattern: /\bgaps?-(?:at|of|losses|questions)\b|^(?:measure|write)-gaps?\b/,
    where: /^bench\//,
    say: 'response latency',
  },
  { pattern: /\blowerings?\b/, say: 'ducking' },
  { pattern: /\bstrangers?\b/, say: 'unauthenticated peer or unseen speaker' },
  { pattern: /\bnewcomers?\b/, say: 'new participant or new member' },
  { pattern: /\bpersons\b(?!-leg)|\bholdings\b|\brow-holding\b/, say: 'data subjects, personal data' },
  { pattern: /\bbelie(?:f|fs|ve|ves|ved)\b/, say: 'probability' },
  { pattern: /\beight-?bit\b/, say: 'int8' },
  { pattern: /\bwords-wrong\b|\bwrong-words\b/, say: 'word error rate' },
  { pattern: /\blook-again\b|\bsecond-run-alone\b/, say: 'retry of a flaky test' },
  { pattern: /\bbrings-forward\b/, say: 'migration' },
];

export const NO_SUBJECT =
  /^(?:of|what|whom|whose|else|not)\b|^(?:null|none|undefined|absent|empty|true|false|zero)(?:[:,]| (?:where|when|while|until|unless|if|for|in|on|before|after|once|of)\b)/i;

/** A comment with such an opening is a sentence only where a comma separates the opening from the subject. */
export const NEEDS_A_COMMA =
  /^(?:above|after|among|as|at|before|behind|below|beside|between|beyond|by|except|for|from|if|in|on|per|since|to|under|until|up to|when|where|while|with|within|without)\b/i;

export const CLEAN = ['bench', 'native', 'scripts', 'src', 'test'];
