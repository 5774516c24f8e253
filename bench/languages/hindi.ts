export const HINDI = [
  'मुझे अपनी बुकिंग के बारे में पूछना है।',
  'मेरा सामान अभी तक नहीं पहुँचा है।',
  'क्या आप मुझे कल सुबह फ़ोन कर सकते हैं?',
  'मैंने पिछले हफ़्ते पैसे भेजे थे।',
  'मुझे किसी इंसान से बात करनी है।',
  'आपकी दुकान कितने बजे बंद होती है?',
  'नहीं, मैं घर पर नहीं था।',
  'बहुत बहुत धन्यवाद, आपने मेरी मदद की।',
  'मेरी बहन का नाम भी इसी खाते में है।',
  'क्या यह सोमवार तक आ जाएगा?',
] as const;

export const MIXED = [
  'मेरा order अभी तक deliver नहीं हुआ है।',
  'मुझे अपना account number चाहिए।',
  'क्या आप मेरा payment check कर सकते हैं?',
  'I paid on Monday, लेकिन receipt नहीं मिली।',
  'मेरा phone number change हो गया है।',
  'Please मेरी appointment cancel कर दीजिए।',
  'मैंने website पर form fill किया था।',
  'My delivery was late, और box भी टूटा हुआ था।',
  'Customer service वालों ने कहा था कि refund मिलेगा।',
  'ठीक है, thank you very much, मैं wait करता हूँ।',
  'I want to speak to the manager, अभी बात कराइए।',
  'Email पर invoice भेज दीजिए please।',
] as const;
