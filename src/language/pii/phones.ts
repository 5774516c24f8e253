import { type CountryCode, isValidPhoneNumber } from 'libphonenumber-js/max';

const CONTEXT = new RegExp(
  `(?<![\\p{L}\\p{M}])(?:${[
    /phones?|telephone|mobile|cell(?:phone)?|landline|fax|whats\s?app|call(?:ed|ing)?(?:\s+(?:me|us|him|her|them|back|you))?(?:\s+(?:back|on|at))|reach(?:ed)? (?:me|us|him|her|them)|text me|ring me|contact number|callback number|(?:my|the|his|her|their|your) number/,
    /tel[ée]fono|m[óo]vil|celular|fijo|llám[ae]\p{L}*|llamar\p{L}*|mi número|whatsapp|marque/u,
    /t[ée]l[ée]phone|portable|mobile|fixe|rappel\p{L}*|appel\p{L}*(?:-moi)?|joindre|mon numéro|joignable/u,
    /telefon\p{L}*|handy\p{L}*|mobil\p{L}*|festnetz|anruf\p{L}*|rückruf\p{L}*|zurückrufen|erreich\p{L}*|(?:meine|die) nummer|durchwahl|rufnummer/u,
    /telefon[oi]|cellulare|fisso|chiam\p{L}*|richiam\p{L}*|(?:il )?mio numero|recapito/u,
    /telefone|telem[óo]vel|celular|fixo|ligu?[eai]\p{L}*|ligar|contacto|contato|(?:o )?meu número/u,
    /telefoon\p{L}*|mobiel\p{L}*|gsm|bel(?:len)?|terugbellen|bereik\p{L}*|mijn nummer|vaste lijn/u,
    /फ़ोन|फोन|मोबाइल|मोबाईल|टेलीफोन|कॉल|नंबर|नम्बर|संपर्क/,
  ]
    .map(({ source }) => source)
    .join('|')})(?![\\p{L}\\p{M}])`,
  'giu',
);
const OTHER =
  /(?<![\p{L}\p{M}])(?:order|tracking|ticket|reference|ref|invoice|case|booking|confirmation|flight|policy|claim|account|acct|iban|routing|serial|model|product|member\p{L}*|customer (?:number|id)|passport|social|ssn|insurance|pedido|seguimiento|reserva|factura|cuenta|póliza|referencia|pasaporte|dni|nie|commande|suivi|réservation|facture|dossier|référence|compte|passeport|bestell\p{L}*|sendungs\p{L}*|buchungs\p{L}*|rechnungs\p{L}*|konto\p{L}*|kunden\p{L}*|vorgangs\p{L}*|vertrags\p{L}*|reisepass\p{L}*|steuer\p{L}*|ordine|spedizione|prenotazione|fattura|conto|pratica|passaporto|encomenda|rastreio|fatura|conta|processo|passaporte|nif|cpf|bestelling\p{L}*|bestelnummer|boekings\p{L}*|factuur\p{L}*|rekening\p{L}*|klant\p{L}*|bsn|paspoort\p{L}*|(?<!(?:area|dial(?:l?ing)?|country|de área)\s)codes?|parts?|items?|parcel|imei|meter|quote|expediente|art[ií]culo|código(?!\s+(?:de\s+área|postal))|contrato|cliente|serie|lote|envío|série|client|contrat|colis|aktenzeichen|artikel\p{L}*|serien\p{L}*|geräte\p{L}*|zähler\p{L}*|akten\p{L}*|codice|articolo|contratto|matricola|artigo|dossier\p{L}*|contract\p{L}*|zaak\p{L}*|serie\p{L}*|ऑर्डर|खाता|खाते|बुकिंग|आधार|पासपोर्ट|टिकट|रेफरेंस|रेफ़रेंस|शिकायत|कंप्लेंट|सीरियल|मीटर|कोड|पॉलिसी)(?:\s+(?:का\s+)?(?:नंबर|नम्बर|संख्या))?(?![\p{L}\p{M}])/giu;
/** Such words behind digits make them an amount. */
const MEASURED =
  /^\s?(?:[$€£₹%]|(?:grams?|gramm?os?|grammes?|kilo\p{L}{0,6}|kg|tonn?e?s?|litres?|liters?|met(?:re|er|ro)s?|km|miles|euros?|dollars?|pounds?|pesos|reais|rupees|francs?|units?|pieces|people|personas|stück|roupies|रुपये|रुपए|किलो)(?!\p{L}))/iu;
const BEFORE = 70;
const BEHIND = 40;

const COUNTRIES: readonly CountryCode[] = [
  ...([
    'US',
    'GB',
    'IE',
    'FR',
    'ES',
    'DE',
    'AT',
    'CH',
    'IT',
    'PT',
    'BR',
    'NL',
    'BE',
    'IN',
    'MX',
    'AR',
  ] as const),
  ...(['CO', 'CL', 'PE', 'AU', 'NZ', 'ZA'] as const),
];

export interface DialledDigits {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly digits: string;
  readonly groups: readonly number[];
  readonly followed: boolean;
}

const lastOf = (text: string, pattern: RegExp): { start: number; end: number } | null => {
  let last: RegExpExecArray | null = null;
  for (const match of text.matchAll(pattern)) last = match;
  return last && { start: last.index, end: last.index + last[0].length };
};

export function phoneContext({
  text,
  start,
  end,
  followed,
}: Omit<DialledDigits, 'digits' | 'groups'>): 'yes' | 'no' | null {
  const lead = text.slice(Math.max(0, start - BEFORE), start);
  const phone = lastOf(lead, CONTEXT);
  const other = lastOf(lead, OTHER);
  // "टिकट नंबर" is no telephone number, although "नंबर" alone is one.
  if (phone !== null && phone.start >= (other?.end ?? 0)) return 'yes';
  if (other !== null) return 'no';
  if (!followed && lastOf(text.slice(end, end + BEHIND), CONTEXT) !== null) return 'yes';
  return null;
}

const PLUS = /(?:\+|(?<![\p{L}\p{M}])(?:plus|más|mas|più|mais|प्लस))\s?\(?$/iu;
/**
 * The table has the groups in which a country's numbers are written or said, and how an unannounced number must
 * begin.
 */
const SHAPES: readonly (readonly [country: CountryCode, begins: RegExp, groups: string])[] = [
  ['FR', /^0/, '2-2-2-2-2 1-1-2-2-2-2 1-1-1-1-2-2-2'],
  ['ES', /^[6-9]/, '3-3-3 3-2-2-2 2-3-2-2 3-6'],
  ['PT', /^[29]/, '3-3-3'],
  ['GB', /^0[127]/, '5-6 5-3-3 3-4-4 4-3-4 5-2-2-2'],
  ['GB', /^07/, '11'],
  ['DE', /^0[1-9]/, '4-7 4-8 3-8 3-7 4-3-4 4-3-2-2 3-4-4 5-6 4-6'],
  ['DE', /^01[5-7]/, '11 12'],
  ['IT', /^[03]/, '3-3-4 3-7 3-2-2-3 2-4-4 2-8'],
  ['NL', /^0/, '2-8 2-4-4 3-7 2-2-2-2-2 3-3-4'],
  ['IN', /^[6-9]/, '5-5 10 4-3-3 3-3-4'],
  ['BR', /^[1-9]/, '2-5-4 2-4-4 2-9'],
];
/** Numbers that begin so are telephone numbers in any groups, where no word says otherwise. */
const IN_ANY_GROUPS: readonly (readonly [country: CountryCode, begins: RegExp])[] = [
  ['DE', /^01[5-7]/],
  ['GB', /^0[1-37]/],
  ['FR', /^0[1-79]/],
  ['NL', /^0[1-7]/],
];
/** Without a leading zero, they count only when they are said in words. */
const SAID_IN_ANY_GROUPS: readonly (readonly [country: CountryCode, begins: RegExp])[] = [
  ['ES', /^[67]/],
  ['PT', /^9/],
  ['IT', /^3/],
  ['IN', /^[6-9]/],
];
const FEWEST_GROUPS = 3;
const IP_ADDRESS = /^\p{Nd}{1,3}(?:\.\p{Nd}{1,3}){3}$/u;
const FEWEST = 7;
const MOST = 15;
const FEWEST_MISHEARD = 9;
const TRUNK_ZERO = /^(\d{2})0(?=\d{9,})/;

/** Accepts a telephone number of any country in international or national form, or by its announcement. */
export function isPhone(said: DialledDigits): boolean {
  const { text, start, digits, groups } = said;
  if (digits.length < FEWEST || digits.length > MOST + 2) return false;
  if (IP_ADDRESS.test(text.slice(start, said.end))) return false;
  const isPlus = PLUS.test(text.slice(Math.max(0, start - 8), start));
  const international = isPlus
    ? digits
    : /^(?:00|011)\d/.test(digits)
      ? digits.replace(/^(?:00|011)/, '')
      : null;
  if (international !== null)
    if (
      [international, international.replace(TRUNK_ZERO, '$1')].some((full) => isValidPhoneNumber(`+${full}`))
    )
      return true;
  const context = phoneContext(said);
  if (context === 'no' || MEASURED.test(text.slice(said.end, said.end + 12))) return false;
  if (context === 'yes' && digits.length <= MOST)
    return (
      digits.length >= FEWEST_MISHEARD || COUNTRIES.some((country) => isValidPhoneNumber(digits, country))
    );
  if (groups.length >= FEWEST_GROUPS || isSaid(said)) {
    const isOf = ([country, begins]: readonly [CountryCode, RegExp]) =>
      begins.test(digits) && isValidPhoneNumber(digits, country);
    if (IN_ANY_GROUPS.some(isOf) || (isSaid(said) && SAID_IN_ANY_GROUPS.some(isOf))) return true;
  }
  const shape = groups.join('-');
  return SHAPES.some(
    ([country, begins, shapes]) =>
      begins.test(digits) && shapes.split(' ').includes(shape) && isValidPhoneNumber(digits, country),
  );
}

const isSaid = ({ text, start, end }: DialledDigits): boolean => !/\p{Nd}/u.test(text.slice(start, end));
