import type { BrainLanguage } from '../contract.ts';

export interface Phrases {
  readonly greeting: string;
  readonly unknown: string;
  readonly again: string;
  readonly thanks: string;
  readonly farewell: string;
  readonly handOver: string;
  readonly cancelled: string;
  /** The caller has understood, or wants no more of it. */
  readonly goOn: string;
  readonly nothingSaid: string;
  readonly automated: string;
  readonly toolFailed: string;
  readonly toolDone: string;
  readonly askFor: (what: string) => string;
  readonly askChoice: (what: string, choices: string) => string;
  /** Before what changes something and was not asked for piece by piece. */
  readonly shallI: (what: string) => string;
  readonly isThatRight: (values: string) => string;
  readonly whatIsWrong: string;
  readonly whichHalf: (clock: string) => string;
  readonly whichDay: string;
  /** `half`: 0 before noon, 1 in the afternoon, 2 in the evening. */
  readonly timeOf: (face: string, half: 0 | 1 | 2, clock: string) => string;
  readonly or: string;
  readonly yes: string;
  readonly no: string;
}

/** Words before which English takes no article. */
const OWN_START = /^(the|an?|your|my|our|this|that|which|who|whose|what|when|where|why|how)\b/i;
const named = (what: string): string => (OWN_START.test(what) ? what : `the ${what}`);

export const PHRASES: Record<BrainLanguage, Phrases> = {
  en: {
    greeting: 'Hello! How can I help you?',
    unknown: "I'm sorry, I don't have that information. Is there something else I can help with?",
    again: "I'm sorry, could you say that in other words?",
    thanks: "You're welcome. Is there anything else?",
    farewell: 'Thank you for calling. Goodbye!',
    handOver: 'Of course, I will hand you over to a person.',
    cancelled: 'All right, I have stopped that. What else can I do for you?',
    goOn: 'All right. What else can I do for you?',
    nothingSaid: "I haven't said anything yet.",
    automated: 'I am an automated assistant.',
    toolFailed: "I'm sorry, that did not work. Would you like to try again?",
    toolDone: 'That is done.',
    askFor: (what) => `Could you tell me ${named(what)}, please?`,
    askChoice: (what, choices) => `Which ${what} would you like: ${choices}?`,
    shallI: (what) => `Shall I do this for you: ${what}?`,
    isThatRight: (values) => `I have understood: ${values}. Is that right?`,
    whatIsWrong: 'I am sorry. What should it be instead?',
    whichHalf: (clock) => `Is ${clock} in the morning or in the evening?`,
    whichDay: 'Which day is that? Please say the month by its name.',
    timeOf: (face, half) => `${face} in the ${['morning', 'afternoon', 'evening'][half]}`,
    or: 'or',
    yes: 'yes',
    no: 'no',
  },
  es: {
    greeting: '¡Hola! ¿En qué puedo ayudarle?',
    unknown: 'Lo siento, no tengo esa información. ¿Puedo ayudarle con otra cosa?',
    again: 'Lo siento, ¿puede decirlo con otras palabras?',
    thanks: 'De nada. ¿Algo más?',
    farewell: 'Gracias por llamar. ¡Adiós!',
    handOver: 'Por supuesto, le paso con una persona.',
    cancelled: 'De acuerdo, lo dejo. ¿Qué más puedo hacer por usted?',
    goOn: 'De acuerdo. ¿Qué más puedo hacer por usted?',
    nothingSaid: 'Todavía no he dicho nada.',
    automated: 'Soy un asistente automático.',
    toolFailed: 'Lo siento, no ha funcionado. ¿Quiere intentarlo de nuevo?',
    toolDone: 'Ya está hecho.',
    askFor: (what) => `¿Me puede decir lo siguiente, por favor: ${what}?`,
    askChoice: (what, choices) => `¿Qué prefiere para ${what}: ${choices}?`,
    shallI: (what) => `¿Quiere que haga esto: ${what}?`,
    isThatRight: (values) => `He entendido: ${values}. ¿Es correcto?`,
    whatIsWrong: 'Disculpe. ¿Qué debo cambiar?',
    whichHalf: (clock) => `¿Las ${clock} de la mañana o de la tarde?`,
    whichDay: '¿Qué día es? Diga el mes por su nombre, por favor.',
    timeOf: (face, half) => `${face} de la ${['mañana', 'tarde', 'noche'][half]}`,
    or: 'o',
    yes: 'sí',
    no: 'no',
  },
  fr: {
    greeting: 'Bonjour ! Comment puis-je vous aider ?',
    unknown: "Je suis désolé, je n'ai pas cette information. Puis-je vous aider pour autre chose ?",
    again: 'Je suis désolé, pouvez-vous le dire autrement ?',
    thanks: 'Je vous en prie. Autre chose ?',
    farewell: 'Merci de votre appel. Au revoir !',
    handOver: 'Bien sûr, je vous passe une personne.',
    cancelled: "D'accord, j'arrête là. Que puis-je faire d'autre pour vous ?",
    goOn: "D'accord. Que puis-je faire d'autre pour vous ?",
    nothingSaid: "Je n'ai encore rien dit.",
    automated: 'Je suis un assistant automatique.',
    toolFailed: "Je suis désolé, cela n'a pas marché. Voulez-vous réessayer ?",
    toolDone: "C'est fait.",
    askFor: (what) => `Pouvez-vous me donner ceci, s'il vous plaît : ${what} ?`,
    askChoice: (what, choices) => `Que préférez-vous pour ${what} : ${choices} ?`,
    shallI: (what) => `Voulez-vous que je fasse ceci : ${what} ?`,
    isThatRight: (values) => `J'ai compris : ${values}. Est-ce exact ?`,
    whatIsWrong: 'Excusez-moi. Que dois-je changer ?',
    whichHalf: (clock) => `${clock}, du matin ou du soir ?`,
    whichDay: "Quel jour est-ce ? Dites le mois par son nom, s'il vous plaît.",
    timeOf: (_face, _half, clock) => clock.replace(':', ' h ').replace(' h 00', ' h'),
    or: 'ou',
    yes: 'oui',
    no: 'non',
  },
  de: {
    greeting: 'Guten Tag! Wie kann ich Ihnen helfen?',
    unknown: 'Das weiß ich leider nicht. Kann ich Ihnen sonst noch helfen?',
    again: 'Können Sie das bitte anders sagen?',
    thanks: 'Gern geschehen. Sonst noch etwas?',
    farewell: 'Danke für Ihren Anruf. Auf Wiederhören!',
    handOver: 'Natürlich, ich verbinde Sie mit einem Menschen.',
    cancelled: 'In Ordnung, ich lasse das. Was kann ich sonst für Sie tun?',
    goOn: 'In Ordnung. Was kann ich sonst für Sie tun?',
    nothingSaid: 'Ich habe noch nichts gesagt.',
    automated: 'Ich bin ein automatischer Assistent.',
    toolFailed: 'Das hat leider nicht geklappt. Möchten Sie es noch einmal versuchen?',
    toolDone: 'Das ist erledigt.',
    askFor: (what) => `Sagen Sie mir bitte noch: ${what}?`,
    askChoice: (what, choices) => `Was möchten Sie bei ${what}: ${choices}?`,
    shallI: (what) => `Soll ich das für Sie tun: ${what}?`,
    isThatRight: (values) => `Ich habe verstanden: ${values}. Stimmt das?`,
    whatIsWrong: 'Entschuldigung. Was soll ich ändern?',
    whichHalf: (clock) => `${clock} Uhr, morgens oder abends?`,
    whichDay: 'Welcher Tag ist das? Sagen Sie bitte den Monat mit seinem Namen.',
    timeOf: (_face, _half, clock) => `${clock} Uhr`,
    or: 'oder',
    yes: 'ja',
    no: 'nein',
  },
  hi: {
    greeting: 'नमस्ते! मैं आपकी क्या मदद कर सकती हूँ?',
    unknown: 'माफ़ कीजिए, मेरे पास यह जानकारी नहीं है। क्या मैं किसी और बात में मदद करूँ?',
    again: 'माफ़ कीजिए, क्या आप इसे दूसरे शब्दों में कह सकते हैं?',
    thanks: 'आपका स्वागत है। और कुछ?',
    farewell: 'कॉल करने के लिए धन्यवाद। नमस्ते!',
    handOver: 'ज़रूर, मैं आपको किसी व्यक्ति से जोड़ती हूँ।',
    cancelled: 'ठीक है, मैंने उसे रोक दिया। और क्या करूँ?',
    goOn: 'ठीक है। मैं आपके लिए और क्या कर सकती हूँ?',
    nothingSaid: 'मैंने अभी तक कुछ नहीं कहा है।',
    automated: 'मैं एक स्वचालित सहायक हूँ।',
    toolFailed: 'माफ़ कीजिए, यह नहीं हो पाया। क्या फिर से कोशिश करें?',
    toolDone: 'यह हो गया।',
    askFor: (what) => `कृपया यह बताइए: ${what}?`,
    askChoice: (what, choices) => `${what} के लिए क्या चुनेंगे: ${choices}?`,
    shallI: (what) => `क्या मैं आपके लिए यह करूँ: ${what}?`,
    isThatRight: (values) => `मैंने समझा: ${values}। क्या यह सही है?`,
    whatIsWrong: 'माफ़ कीजिए। क्या बदलना है?',
    whichHalf: (clock) => `${clock} बजे, सुबह या शाम?`,
    whichDay: 'यह कौन सा दिन है? कृपया महीने का नाम बताइए।',
    timeOf: (face, half) => `${['सुबह', 'दोपहर', 'शाम'][half]} ${face} बजे`,
    or: 'या',
    yes: 'हाँ',
    no: 'नहीं',
  },
};
