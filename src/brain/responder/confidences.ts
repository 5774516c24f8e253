import type { BrainLanguage } from '../contract.ts';

/** What keeps something back, wherever the word stands. A sentence too many costs an answer, one too few a confidence. */
const SECRECY: Record<BrainLanguage, readonly string[]> = {
  en: [
    "must(n[’']t| not)|shall not|never|under no circumstances|confidential(ly)?|internal(ly)?|secret|private(ly)?|classified",
    "(do not|don[’']t|not to|avoid|without|refuse to) (tell|say|give|share|reveal|mention|discuss|disclose|offer|promise)\\w*",
    'reveal|disclose|pretend|password|passcode|override',
    '(keep|stays?) (it|this|that|them|these) (to yourself|between|quiet|among|in[- ]house)|between us|not for (the )?(callers|customers|public|anyone)',
  ],
  es: [
    'nunca|jamás|no deb(e[ns]?|erás?)|confidencial(es)?|intern[oa]s?|secret[oa]s?|contraseñas?|bajo ningun[oa]?',
    'no ((se|me|le|les|lo|la|los|las) ){0,2}(digas?|digan|reveles?|menciones?|compartas?|comentes?|cuentes?|difundas?|ofrezcas?|des?)',
    'sin (decir|revelar|mencionar|compartir)(l[oae]s?)?|guárd[ae]l[oa]s?|que quede entre|entre nosotros',
  ],
  fr: [
    'jamais|ne (doi(s|t|vent)|devez)|confidentiel(le)?s?|internes?|secr(et|ète)s?|mots? de passe|en aucun cas',
    "(ne |n[’'])((le|la|les|lui|leur|en|y) |l[’']){0,2}(dites|dis|dire|révél\\w*|mentionn\\w*|partag\\w*|communiqu\\w*|parle[zr]?|donne[zr]?|propos\\w*)",
    'gardez?-l[ea]s?|(reste[nr]?|doi(t|vent) rester) entre nous',
  ],
  de: [
    'nie(mals)?|(darf|dürfen|soll(en|st)?) (\\S+ ){0,3}nicht|vertraulich\\w*|intern(e[nrs]?)?|geheim\\w*|passwor[td]\\w*|unter keinen umständen',
    '(gib|geben sie|sag|sage|sagen sie|nenne?|nennen sie) (\\S+ ){0,3}(nicht|nie|niemals|niemandem)|nicht (weitergeben|verraten|sagen|nennen)|behalte\\w* (\\S+ ){0,2}für|unter uns',
    'verrate\\w*|erwähne\\w*|preisgeben|weitergeben',
  ],
  hi: [
    'कभी (न|ना|नहीं|मत)|गोपनीय|आंतरिक|आन्तरिक|गुप्त|पासवर्ड|किसी को (भी )?(न|ना|नहीं|मत)|(न|ना|मत) (बता\\S*|कह\\S*|दे|देना|दें)|मत (बताना|बताएँ|बताओ|कहना)',
  ],
};

/** What speaks of calls and callers: it is meant for the agent, and says nothing of the sentences around it. */
const ABOUT_CALLS: Record<BrainLanguage, readonly string[]> = {
  en: [
    'callers?|agents?|instructions?|escalate',
    'tell (them|him|her|people|anyone|nobody|no one)|say that|if (someone|somebody|anyone|anybody|they|you|asked)',
  ],
  es: ['llamantes?|agentes?|instrucciones|si alguien|quien llam[ae]|(di|diga) que'],
  fr: ["appelants?|agents?|instructions?|consignes?|si quelqu[’']un|dites que|dis que"],
  de: ['anrufer\\w*|agent(en)?|anweisung(en)?|(falls|wenn) jemand|sag(en sie)?,? dass'],
  hi: ['कॉलर|(अगर|यदि) कोई'],
};

const anyOf = (words: Record<BrainLanguage, readonly string[]>): Record<BrainLanguage, RegExp> =>
  Object.fromEntries(
    Object.entries(words).map(([language, alternatives]) => [
      language,
      new RegExp(`(?<![\\p{L}\\p{M}])(${alternatives.join('|')})(?![\\p{L}\\p{M}])`, 'iu'),
    ]),
  ) as Record<BrainLanguage, RegExp>;

const secrecy = anyOf(SECRECY);
const aboutCalls = anyOf(ABOUT_CALLS);

/** A sentence that speaks of the one before it, by a pronoun or by leaving out what it is about. */
const REFERS_BACK: Record<BrainLanguage, RegExp> = {
  en: /^(it (?!is (important|essential|vital|crucial|necessary|best) )|its |this|that|these|those|they|them|such|all of)|\b(it|this|these|those)\b(?! is (important|essential|vital))|\b(that|them)(?=[.,;:!]|$| (to|with|out|from)\b)|\b(share|tell|reveal|mention|discuss|disclose|say)( (anyone|anybody|people|callers|customers|the (caller|customer)))?[.!]*$/i,
  es: /^(es|son|esto|eso|est[ea]|es[ae]|estos|estas)(?!\p{L})|(?<!\p{L})no (se )?(lo|la|los|las)(?!\p{L})|(decir|revelar|mencionar|compartir)l[oa]s?|guárd[ae]l[oa]s?|que quede|(?<!\p{L})(esto|eso)(?!\p{L})/iu,
  fr: /^(c[’']est|ce (n[’']est|sont)|ceci|cela|ça|il est|elle est|ils sont|elles sont)|(ne |n[’'])(le |la |les |l[’']|en )|garde[zr]?-l|(?<!\p{L})(ceci|cela|ça)(?!\p{L})/iu,
  de: /^(das|dies(e[rs]?)?|er|sie|es) (ist|sind|bleib\S*|darf|dürfen|soll\S*)|(?<!\p{L})(es|das|dies|ihn)(?!\p{L})|^(nicht|niemandem|bitte nicht|nie) (weitergeben|verraten|sagen|weitersagen)/iu,
  hi: /^(यह|ये|वह|वे|इसे|इन्हें|उसे|इसको|इसका)(?![\p{L}\p{M}])|(?<![\p{L}\p{M}])(इसे|इन्हें|उसे|इसको|यह)(?![\p{L}\p{M}])|^(किसी को|मत|न )/u,
};

/** A sentence that speaks of those behind it. */
const REFERS_AHEAD =
  /:$|(?<!\p{L})((what|which) follows|(the|as) follow(ing|s)(?! (days?|week|month|morning|year))|(is|are|listed|notes?|rules?|facts?|section) below|lo siguiente|l[oa]s siguientes|a continuación|ce qui suit|ci-dessous|l[ea]s? (\S+ )?suivante?s?|folgende[nsm]?(?! (tag|woche|monat|jahr))|निम्नलिखित|नीचे (दी|दिए|लिखी|लिखा))(?![\p{L}\p{M}])/iu;

export const keepsSecret = (sentence: string, language: BrainLanguage): boolean =>
  secrecy[language].test(sentence);

/** For each of a persona's sentences, whether no caller may hear it: it keeps something back or speaks of callers, or another sentence
 * that keeps something back speaks of it. */
export function confidences(sentences: readonly string[], language: BrainLanguage): boolean[] {
  const kept = sentences.map(
    (sentence) => secrecy[language].test(sentence) || aboutCalls[language].test(sentence),
  );
  sentences.forEach((sentence, at) => {
    if (!secrecy[language].test(sentence)) return;
    for (let about = at; about > 0 && REFERS_BACK[language].test(sentences[about] ?? ''); about--)
      kept[about - 1] = true;
    if (REFERS_AHEAD.test(sentence)) kept.fill(true, at);
  });
  return kept;
}
