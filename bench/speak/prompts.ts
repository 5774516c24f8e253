/** What agents say on calls, short to long; and a sentence a language for the round trip. */
export const PROMPTS: readonly string[] = [
  'Hello, thank you for calling.',
  'How can I help you today?',
  'One moment, please.',
  'Can I have your name?',
  'Sure, I can do that for you.',
  'I am sorry, we are closed on Sunday.',
  'Your order number is 4792.',
  'Please hold the line while I look that up.',
  'Is there anything else I can help you with?',
  'The total comes to $42.50.',
  'Your appointment is on March 14th at 2:30 pm.',
  'Thank you, and have a nice day.',
  'Could you spell that for me?',
  'I have sent you an email with the details.',
  'The next available slot is tomorrow at noon.',
  'Let me transfer you to a colleague.',
  'We deliver within three to five days.',
  'Your table for four is booked, we look forward to seeing you.',
  'For security, please tell me your date of birth.',
  'That is correct, you are all set.',
  'I did not catch that, could you say it again?',
  'The office is open from nine to five.',
  'Great, let us get started.',
  'Your package will arrive on Friday before 6 pm.',
  'I can check your booking, and send you a confirmation.',
  'If you already have an account, please tell me the number.',
  'No problem at all, we can change that.',
  'Our address is 12 Main Street, right next to the station.',
  'You can cancel free of charge until the day before.',
  'Welcome back, it is good to hear from you again.',
];

export const ROUND_TRIP: Readonly<Record<string, readonly string[]>> = {
  en: [
    'Please hold the line while I look up your account, it will only take a moment.',
    'The next appointment is on Thursday morning, would you like to take it?',
    'Your package has left the warehouse and should arrive before the weekend.',
  ],
  es: [
    'Por favor, espere un momento mientras busco los datos de su cuenta.',
    'La próxima cita es el jueves por la mañana, ¿quiere tomarla?',
  ],
  fr: [
    'Veuillez patienter un instant pendant que je cherche vos informations.',
    'Le prochain rendez-vous est jeudi matin, voulez-vous le prendre ?',
  ],
  de: [
    'Bitte warten Sie einen Moment, während ich Ihre Daten suche.',
    'Der nächste Termin ist am Donnerstag, möchten Sie ihn nehmen?',
  ],
  hi: ['कृपया एक मिनट रुकिए, मैं आपकी जानकारी देख रहा हूँ।', 'आपका अगला अपॉइंटमेंट गुरुवार को सुबह है।'],
  it: [
    'Attenda un momento, per favore, mentre cerco i suoi dati.',
    'Il prossimo appuntamento è giovedì mattina, vuole prenderlo?',
  ],
  pt: [
    'Por favor, aguarde um momento enquanto procuro os seus dados.',
    'A próxima consulta é na quinta-feira de manhã, você quer marcar?',
  ],
};
