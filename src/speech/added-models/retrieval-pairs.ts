import type { RETRIEVAL_LANGUAGES } from '../../language/retrieval/index.ts';

type Pair = readonly [question: string, passage: string];

/** Questions and the passages that answer them, which share few words. A model that knows the language finds each passage. */
export const RETRIEVAL_PAIRS: Readonly<Record<(typeof RETRIEVAL_LANGUAGES)[number], readonly Pair[]>> = {
  en: [
    ['When can I come by?', 'Our doors are open from nine to six on weekdays.'],
    ['Where can I leave my car?', 'Visitors park for free in the garage behind the building.'],
    ['Is a dog welcome?', 'Pets have to stay outside, except guide animals.'],
    ['I have to call off my visit.', 'Appointments that are cancelled a day before are free of charge.'],
    ['Do you take Visa?', 'You pay in cash or by credit card.'],
    ['How long until my parcel arrives?', 'Orders are delivered within three working days.'],
    ['My kid is four, can he join?', 'The courses are meant for children from six years on.'],
    ['The screen is broken.', 'Damaged devices are repaired at no cost within two years of purchase.'],
  ],
  es: [
    ['¿A qué hora puedo pasar?', 'Abrimos de nueve a seis los días laborables.'],
    ['¿Dónde dejo el coche?', 'Los visitantes aparcan gratis en el garaje detrás del edificio.'],
    ['¿Puedo ir con mi perro?', 'Las mascotas se quedan fuera, salvo los animales guía.'],
    ['Ya no puedo acudir a mi visita.', 'Las citas anuladas un día antes no cuestan nada.'],
    ['¿Aceptan Visa?', 'Se paga en efectivo o con tarjeta de crédito.'],
    ['¿Cuánto falta para que llegue mi paquete?', 'Los pedidos se entregan en tres días hábiles.'],
    ['Mi hijo tiene cuatro años, ¿puede venir?', 'Los cursos son para niños a partir de seis años.'],
    [
      'La pantalla está rota.',
      'Los aparatos dañados se reparan sin coste en los dos años siguientes a la compra.',
    ],
  ],
  fr: [
    ['Quand puis-je passer ?', 'Nous sommes ouverts de neuf à dix-huit heures en semaine.'],
    ['Où laisser ma voiture ?', 'Les visiteurs se garent gratuitement dans le garage derrière le bâtiment.'],
    ['Puis-je venir avec mon chien ?', 'Les animaux restent dehors, sauf ceux qui guident les aveugles.'],
    ['Je ne pourrai pas venir à ma visite.', 'Un rendez-vous annulé la veille ne coûte rien.'],
    ['Prenez-vous la Visa ?', 'On paie en espèces ou par carte de crédit.'],
    ['Quand mon colis arrive-t-il ?', 'Les commandes sont livrées sous trois jours ouvrables.'],
    [
      'Mon fils a quatre ans, peut-il participer ?',
      'Les cours sont destinés aux enfants à partir de six ans.',
    ],
    ["L'écran est cassé.", "Les appareils abîmés sont réparés sans frais pendant deux ans après l'achat."],
  ],
  de: [
    ['Wann kann ich vorbeikommen?', 'Wir haben werktags von neun bis sechs geöffnet.'],
    ['Wo lasse ich mein Auto?', 'Besucher parken kostenlos in der Garage hinter dem Haus.'],
    ['Darf mein Hund mit?', 'Haustiere bleiben draußen, außer Blindenführhunden.'],
    ['Ich schaffe es nicht zu meinem Besuch.', 'Termine, die am Vortag abgesagt werden, kosten nichts.'],
    ['Nehmen Sie Visa?', 'Man zahlt bar oder mit Kreditkarte.'],
    ['Wann ist mein Paket da?', 'Bestellungen werden innerhalb von drei Werktagen geliefert.'],
    ['Mein Sohn ist vier, kann er mitmachen?', 'Die Kurse sind für Kinder ab sechs Jahren.'],
    [
      'Der Bildschirm ist kaputt.',
      'Beschädigte Geräte werden zwei Jahre nach dem Kauf unentgeltlich repariert.',
    ],
  ],
  hi: [
    ['मैं कब आ सकता हूँ?', 'हम काम के दिनों में सुबह नौ से शाम छह बजे तक खुले रहते हैं।'],
    ['मैं अपनी गाड़ी कहाँ छोड़ूँ?', 'आगंतुक इमारत के पीछे गैरेज में मुफ़्त पार्किंग करते हैं।'],
    ['क्या मेरा कुत्ता साथ आ सकता है?', 'पालतू जानवरों को बाहर रहना होगा।'],
    ['मैं अपनी मुलाक़ात पर नहीं आ पाऊँगा।', 'एक दिन पहले रद्द किए गए अपॉइंटमेंट का कोई शुल्क नहीं है।'],
    ['क्या आप वीज़ा लेते हैं?', 'भुगतान नकद या क्रेडिट कार्ड से होता है।'],
    ['मेरा पार्सल कब पहुँचेगा?', 'ऑर्डर तीन कार्य दिवसों में पहुँचाए जाते हैं।'],
    ['मेरा बेटा चार साल का है, क्या वह भाग ले सकता है?', 'कक्षाएँ छह साल से बड़े बच्चों के लिए हैं।'],
    ['स्क्रीन टूट गई है।', 'ख़राब उपकरणों की ख़रीद के दो साल तक मुफ़्त मरम्मत होती है।'],
  ],
};
