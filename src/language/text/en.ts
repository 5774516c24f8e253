import type { AgentLanguageWords } from './contract.ts';
import { letters, list, numbered, ordinals, others, phrases, tens, written } from './words.ts';

export const EN: AgentLanguageWords = {
  name: 'English',
  numbers: {
    counted: written(
      'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    ),
    tens: tens('_ _ twenty thirty forty fifty sixty seventy eighty ninety'),
    others: others({}),
    hundreds: numbered({ hundred: 100 }),
    scales: numbered({ thousand: 1000, million: 1_000_000 }),
    articles: [],
    minus: list('minus negative'),
    points: list('point'),
    halves: phrases('and a half'),
    repeats: numbered({ double: 2, triple: 3, treble: 3 }),
    zeros: list('oh o nought'),
  },
  calendar: {
    weekdays: list('sunday monday tuesday wednesday thursday friday saturday'),
    months: list('january february march april may june july august september october november december'),
    alsoWeekdays: {},
    alsoMonths: {},
    relative: numbered({
      'the day after tomorrow': 2,
      'day after tomorrow': 2,
      tomorrow: 1,
      today: 0,
      tonight: 0,
      'this evening': 0,
      'this afternoon': 0,
      'this morning': 0,
      yesterday: -1,
    }),
    ordinals: {
      ...ordinals(
        'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth',
      ),
      thirtieth: 30,
    },
    joiners: list('of the'),
    yearJoiners: [],
    ahead: list('in within'),
    later: [],
    days: list('day days'),
    weeks: list('week weeks'),
    dayLeads: phrases('the|on the|for the'),
    dayTails: [],
    nextBefore: list('next'),
    nextBehind: [],
    thisBefore: list('this coming'),
  },
  clock: {
    parts: [
      ['morning', 'morning'],
      ['afternoon', 'afternoon'],
      ['evening', 'evening'],
      ['night', 'night'],
      ['tonight', 'night'],
    ],
    hours: phrases('clock|oclock|o clock'),
    minutes: list('minute minutes'),
    markers: list('at by around about until till'),
    fixed: numbered({
      noon: 12,
      midday: 12,
      '12 noon': 12,
      'twelve noon': 12,
      midnight: 0,
      '12 midnight': 0,
      'twelve midnight': 0,
    }),
    behind: {},
    signs: {},
    halfTo: [],
    quarters: [],
    past: list('past after'),
    to: list('to before of til till'),
    pastBehind: [],
  },
  consent: {
    yes: phrases(
      "yes|yeah|yep|yup|sure|correct|right|exactly|absolutely|perfect|great|please do|please|go ahead|do it|do that|that's right|that's correct|that's it|that's fine|that's good|that is right|that is correct|that is it|that is fine|that is good|sounds good|ok|okay|of course|it is|all right|alright",
    ),
    no: phrases("no|nope|nah|wrong|incorrect|that's wrong|that is wrong|not"),
    reserved: phrases('but|wait|except|actually|instead|hold on|wrong|change|before|if'),
    negation: phrases(
      "don't|doesn't|didn't|wouldn't|won't|can't|shouldn't|couldn't|isn't|aren't|wasn't|weren't|haven't|hasn't|hadn't|mustn't|needn't|not|never|neither|nor|without|no longer|no need|cannot|no more|rather than|instead of|no",
    ),
    polite: phrases(
      "why don't you|why don't we|why don't i|why not|can't you|can't we|can not you|could you not|couldn't you|won't you|would you not|don't forget to|not forget to|if not|can i not|could i not|may i not|can we not|can't i|couldn't i",
    ),
  },
  spelling: {
    letters: letters(
      'ay a|bee b|be b|see c|sea c|cee c|dee d|ee e|ef f|eff f|gee g|aitch h|haitch h|eye i|jay j|kay k|el l|ell l|em m|en n|oh o|pee p|pea p|cue q|queue q|are r|ar r|ess s|tee t|tea t|you u|vee v|double u w|ex x|why y|wye y|zee z|zed z',
    ),
    alphabet: written(
      'alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu',
    ),
    positions: {
      ...ordinals(
        'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth',
      ),
      ...numbered({ last: -1, 'second to last': -2, 'next to last': -2, 'second last': -2 }),
    },
    insteadOf: phrases("not|it's not|instead of|rather than"),
    around: phrases(
      "and then|and|then|uh|um|er|hmm|okay|so|it's|its|it is|that's|is|a|the number|my number is|the code is|please|sure|yes",
    ),
    names: phrases(
      "my name is|my name's|my first name is|my last name is|my full name is|the name is|it's under|it is under|i am|i'm|this is|it's|it is|call me|that's|name is",
    ),
    asIn: phrases('as in|is in|for|like|is for|as|from'),
    at: phrases('at|at sign|at symbol'),
    dot: phrases('dot|period|point|full stop'),
    dash: phrases('dash|hyphen|minus'),
    underscore: phrases('underscore|under score'),
    plus: list('plus'),
  },
  phrases: {
    filler: 'One moment, please.',
    apology: "I'm sorry, I am having trouble right now. Could you say that again?",
    trouble: "I'm sorry, I am having trouble right now.",
    notHeard: "I'm sorry, I didn't catch that. Could you say it again?",
    unable: "I'm sorry, I can't help you at the moment. Please call again later. Goodbye.",
    stillThere: 'Are you still there?',
    greeting: 'Hello! How can I help you?',
    unknown: "I'm sorry, I don't have that information. I can take a message, or hand you over to a person.",
    leaveMessage: 'Please go ahead. Leave your name, your number and what it is about.',
    messageTaken: 'Thank you, your message is kept with this call. Is there anything else?',
    again: "I'm sorry, could you say that in other words?",
    thanks: "You're welcome. Is there anything else?",
    farewell: 'Thank you for calling. Goodbye!',
    resumed: 'Sorry, we were cut off.',
    handOver: 'Of course, I will hand you over to a person.',
    goOn: 'All right. What else can I do for you?',
    confirm: 'Before I do this: {}. Shall I go ahead?',
    nothingSaid: "I haven't said anything yet.",
    automated: 'I am an automated assistant.',
  },
  capture: {
    what: {
      digits: 'the number',
      phone: 'your phone number',
      email: 'your e-mail address',
      name: 'your name',
      code: 'the code',
      date: 'the day',
      time: 'the time',
      amount: 'the amount',
      yes_no: 'yes or no',
    },
    ask: 'Could you tell me {}, please?',
    again: 'I am sorry, I did not get {}. Please say it once more, slowly.',
    more: 'I have {}. What comes after that?',
    character: 'I did not get the {} one. What is it?',
    places: written(
      'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth',
    ),
    halfOfDay: 'Is {} in the morning or in the evening?',
    day: 'Which day is that? Please say the month by its name.',
    check: 'That does not add up, so I must have misheard. Please say {} once more, slowly.',
    readBack: 'I have {}. Is that right?',
    whatIsWrong: 'I am sorry. What should it be instead?',
    whichOne: 'Which one should be {}?',
    keypad: 'Please type {} on your keypad, and then press the hash key.',
    keys: {
      date: 'Type day and month with two digits each, and the year with four.',
      time: 'Type the hour from 0 to 23 and the minutes, with two digits each.',
    },
    spell: 'Please spell {} letter by letter.',
    records: {
      offerOne: 'I found {}. Is that right?',
      offerTwo: '{}, or {2}?',
      pressTwo: 'Press 1 for {}, 2 for {2}.',
      withLetters: '{} with {2}',
      double: 'double {}',
      single: 'one {}',
      notFound: 'I did not find that. Please spell {}.',
      keypad: 'Please type {} on the keypad, one press for each letter on its key, and then press pound.',
      neither: phrases('neither|none|neither of them|none of them|none of those'),
    },
  },
  smallTalk: {
    fillers: phrases(
      'please|there|ok|okay|well|so|um|uh|oh|and|then|now|again|very much|so much|a lot|for your help|for that|all right|alright|great|perfect|fine|it',
    ),
    greet: phrases('hi|hello|hey|good morning|good afternoon|good evening|how are you|how are you doing'),
    thank: phrases('thanks|thank you|cheers|much appreciated'),
    end: phrases(
      "bye|goodbye|good bye|bye bye|see you|see you later|that's all|that is all|that will be all|that'll be all|have a nice day|have a good day|have a good one|hang up|nothing else",
    ),
    repeat: phrases(
      'repeat that|repeat it|say that again|say it again|come again|what did you say|pardon|pardon me|sorry|what|can you repeat that|could you repeat that|can you say that again|could you say that again',
    ),
    stop: phrases("never mind|nevermind|forget it|forget that|leave it|don't bother|stop|cancel"),
    identity: phrases(
      "who are you|who is this|who am i talking to|who am i speaking to|who am i speaking with|am i talking to|am i speaking to|am i talking with|am i speaking with|am i chatting with|what's your name|what is your name|are you a|are you an|are you human|are you real|are you automated|are you ai|are you really|are you actually|are you just a|you are a robot|you're a robot|you are a machine|you're a machine|is this a robot|is this a machine|is this a recording|is this a human|is this a person|is this a real person|is this an ai|is this a bot",
    ),
    connect: phrases(
      'speak to|speak with|talk to|talk with|chat with|connect me|transfer me|put me through|put me on|patch me|hand me|pass me',
    ),
    want: phrases("get me|give me|i want|i need|let me have|i would like|i'd like|can i have"),
    somebody: phrases(
      'person|human|human being|agent|representative|someone|somebody|operator|manager|supervisor|colleague|real person|live person',
    ),
  },
  persona: {
    self: [
      ['you are', 'I am'],
      ["you're", 'I am'],
      ['your name is', 'My name is'],
    ],
    instructionTitles: phrases(
      'role|identity|personality|persona|tone|style|voice|task|tasks|goal|goals|objective|objectives|mission|rule|rules|guideline|guidelines|guardrails|instruction|instructions|script|flow|step|steps|internal|notes for|note for|behavior|behaviour|behave|conversation|conversations|dialogue|example|examples|escalation|handling|handle|tools|tool|functions|qualification|qualify|objection|objections|do not|don t|never|always|boundaries|constraints|response|responses|answering|speaking|collect|opening line|closing line|greeting|prompt|system|context|variables|who you are|reminders|confidential|secret|strategy|negotiation|upsell|upselling|your|when you|how you|what you do|what to do|on a call|on the call|calls|taking|workflow|checklist|priorities|compliance|security|handle|for staff|staff only|for the agent|for agents|call transfer|sales pitch',
    ),
    factTitles: phrases(
      'menu|hours|opening|prices|price|pricing|rates|rate|plans|plan|services|service|treatments|products|location|address|parking|directions|delivery|shipping|policy|policies|returns|refunds|billing|payment|payments|faq|faqs|questions|facts|information|info|about|amenities|facilities|rooms|classes|membership|memberships|contact|listings|fleet|schedule|timetable|sell|offer|offers|packages|events|team|doctors|insurance',
    ),
    commands: phrases(
      "act|acknowledge|adapt|address|advise|aim|allow|announce|answer|apologise|apologize|arrange|ask|assist|assume|attempt|avoid|be|begin|book|bring up|call|capture|check|choose|clarify|collect|communicate|complete|confirm|continue|convert|create|decide|deflect|describe|determine|direct|discover|discuss|do|do not|don't|emphasize|encourage|end|engage|enquire|ensure|escalate|establish|explain|express|figure out|find out|flag|focus|follow|gather|gently|get|give|go|greet|guide|handle|help|hide|highlight|identify|if|ignore|immediately|inform|inquire|insist|introduce|invite|keep|lead|let|listen|log|look|look up|maintain|make|mention|mirror|must|negotiate|not|obtain|offer|output|pause|persuade|pitch|please|politely|present|pretend|prioritize|proceed|promise|pronounce|propose|provide|push|put|qualify|quote|read|reassure|recommend|record|redirect|refer|refuse|remain|remember|remind|repeat|reply|request|respect|respond|retrieve|route|save|say|schedule|sell|send|share|should|show|speak|spell|start|start at|stay|steer|step|stick|suggest|summarise|summarize|take|talk|tell|thank|then|transfer|treat|try|understand|unless|update|upsell|use|verify|wait|waive|warn|welcome|when|whenever|wrap up|write|always|never|once|only use|only ever|first ask|hold back|sound like|state the",
    ),
    secondPerson: phrases("you|your|yours|you're|yourself"),
    inward: phrases(
      'caller|callers|the caller|agent|agents|instruction|instructions|escalate|escalation|tell people|tell them|tell him|tell her|tell customers|say that|ask for|ask whether|ask if|if someone|if somebody|if anyone|if they|if asked|upsell|upselling|cross sell|discount floor|price floor|floor price|margin|margins|markup|commission target|bonus|quota|quotas|target|targets|kpi|kpis|churn|retention|lead|leads|hot lead|prospect|prospects|wholesale|at cost|our cost|cost price|walk away|bottom line|lowest|minimum price|max discount|maximum discount|discount up to|would take|would accept|negotiate|negotiable|supervisor|without approval|manager approval|approve|approval|authorised|authorized|threaten|threatens|hesitate|hesitates|insists|pushes back|volunteer|tool|tools|function|functions|api|crm|database|backend|json|prompt|tier two|goal|goals|objective|person calling|people calling|people who call|so be|so do not|so don t|and be|and do not|and don t|but do not|but don t|so ask|and ask|then ask|but ask|so tell|and tell|but tell|so say|and say|but say|make sure|be sure|please',
    ),
    secret: phrases(
      "must not|mustn't|shall not|never|under no circumstances|confidential|confidentially|internal|internally|secret|private|privately|classified|do not tell|don't tell|do not say|don't say|do not give|don't give|do not share|don't share|do not reveal|don't reveal|do not mention|don't mention|do not discuss|don't discuss|do not disclose|don't disclose|do not offer|don't offer|do not promise|don't promise|not to tell|not to share|not to mention|avoid mentioning|avoid discussing|without telling|reveal|disclose|pretend|password|passwords|passcode|override|to yourself|between us|not for callers|not for customers|not for the public|stays in house|stays between|keep this|keep it to|keep that",
    ),
    backward: phrases(
      'it|its|this|these|those|they|them|such|that to|that with|that from|about that|keep that|anyone|anybody|nobody|no one',
    ),
    forward: phrases(
      'the following is|the following are|keep the following|the following secret|the following information|the following facts|as follows|what follows|is below|are below|listed below',
    ),
    impersonal: phrases(
      "it is important|it is essential|it is vital|it is crucial|it is necessary|it is best|it's important|it's essential|it's vital",
    ),
    human: phrases('human|real person|not a robot|not a bot|not a machine|not an ai|not ai'),
  },
  search: {
    stopWords: written(
      'a an the and or but if of to in on at for with from by as is are was were be been am do does did have has had can could will would should may might i you he she it we they me him her us them my your his its our their this that these those what which who whom whose when where why how there here not no yes so just please tell know like want need about any some get got let s t d ll m re ve',
    ),
    endings: written('ations ation ings ing edly ies ied ers er ed es ly s e y'),
  },
};
