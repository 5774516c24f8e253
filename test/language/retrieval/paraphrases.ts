/**
 * Businesses with the questions of their callers. The words of `paraphrased` are not those of the answer;
 * `unanswerable` sounds like the business and is not in its text. Thresholds are set on `TUNED` alone; figures are
 * given for `HELD_OUT`.
 */
export interface Business {
  readonly name: string;
  readonly facts: readonly string[];
  readonly direct: readonly (readonly [string, number])[];
  readonly paraphrased: readonly (readonly [string, number])[];
  readonly unanswerable: readonly string[];
}

const CLINIC: Business = {
  name: 'clinic',
  facts: [
    'We are open Monday to Friday from 9 am to 5 pm.',
    'A check-up costs 80 dollars.',
    'The clinic is at 12 Harbour Street, on the second floor.',
    'Parking is free for two hours behind the building.',
    'We accept all major credit cards and cash.',
    'Children under twelve are treated by Doctor Lane.',
    'Appointments can be cancelled without a fee until the day before.',
    'For severe pain after hours, please ring the emergency line on 555 0142.',
    'New patients should bring a photo identification and their insurance card.',
    'Teeth whitening takes about one hour.',
  ],
  direct: [
    ['When are you open?', 0],
    ['How much does a check-up cost?', 1],
    ['Is parking free?', 3],
    ['Which credit cards do you accept?', 4],
    ['What should new patients bring?', 8],
    ['How long does whitening take?', 9],
  ],
  paraphrased: [
    ['Where can I leave my car?', 3],
    ['Can I pay with Visa?', 4],
    ['Who looks after kids?', 5],
    ['What happens if I can not make it and want to call off my visit?', 6],
    ['My tooth hurts terribly in the middle of the night, who do I call?', 7],
    ['Which documents do I need for my first visit?', 8],
    ['How do I find your office?', 2],
    ['What is the price for an examination?', 1],
  ],
  unanswerable: [
    'Do you treat horses?',
    'What is the capital of Peru?',
    'Do you sell electric toothbrushes?',
    'Can you recommend a restaurant nearby?',
    'Who won the football match yesterday?',
    'Do you have a job opening for a nurse?',
  ],
};

const HOTEL: Business = {
  name: 'hotel',
  facts: [
    'Check-in begins at three in the afternoon and check-out is at eleven.',
    'Breakfast is served in the garden room from seven to ten.',
    'Dogs are welcome for 15 euros a night.',
    'The swimming pool on the roof is heated all year.',
    'Wireless internet is included in the price of every room.',
    'A shuttle bus leaves for the airport every hour.',
    'Smoking is allowed only on the terrace.',
    'Extra towels and pillows are at the front desk.',
    'Our restaurant has vegetarian and gluten-free dishes.',
    'Left luggage is kept behind the desk at no charge.',
  ],
  direct: [
    ['When does check-in begin?', 0],
    ['When is breakfast served?', 1],
    ['Are dogs welcome?', 2],
    ['Is the swimming pool heated?', 3],
    ['Where is smoking allowed?', 6],
    ['Does the restaurant have vegetarian dishes?', 8],
  ],
  paraphrased: [
    ['Can I bring my pet?', 2],
    ['Do you have wifi?', 4],
    ['How do I get to my flight?', 5],
    ['Where can I have a cigarette?', 6],
    ['What is there for people who do not eat meat?', 8],
    ['Can you store my suitcase until the evening?', 9],
    ['What time do we have to leave our room?', 0],
    ['Where can we go for a swim?', 3],
  ],
  unanswerable: [
    'Is there a casino in town?',
    'How tall is the Eiffel Tower?',
    'Can I rent a bicycle from you?',
    'Do you have a conference hall for two hundred people?',
    'What is the weather going to be like tomorrow?',
    'Can I speak Chinese with you?',
  ],
};

const INTERNET: Business = {
  name: 'internet provider',
  facts: [
    'Our fibre plan gives 500 megabits a second for 40 dollars a month.',
    'Installation by a technician takes about two hours.',
    'If the red light blinks, unplug the router for one minute and plug it in again.',
    'Invoices are sent by e-mail on the first day of the month.',
    'You may end your contract with thirty days of notice.',
    'Moving to another address is free once a year.',
    'Students get ten percent off.',
    'Our shop in Market Square is open on Saturdays.',
    'The router stays our property and must be returned.',
    'Calls to mobile phones cost five cents a minute.',
  ],
  direct: [
    ['How much is the fibre plan a month?', 0],
    ['How long does installation take?', 1],
    ['When are invoices sent?', 3],
    ['Do students get something off?', 6],
    ['Is the shop open on Saturdays?', 7],
    ['What do calls to mobile phones cost?', 9],
  ],
  paraphrased: [
    ['My connection is down and the box is flashing', 2],
    ['When do I get my bill?', 3],
    ['How can I cancel my subscription?', 4],
    ['We are relocating to a new flat, can we take the line with us?', 5],
    ['Is there a discount for people at university?', 6],
    ['Do I have to give the device back?', 8],
    ['How quick is the broadband?', 0],
    ['How long will the engineer be at my home?', 1],
  ],
  unanswerable: [
    'Do you sell washing machines?',
    'Who is the president of France?',
    'Can you fix my broken television?',
    'Do you offer car insurance?',
    'What should I cook tonight?',
    'Can I book a table for four?',
  ],
};

const BANK: Business = {
  name: 'bank',
  facts: [
    'A lost card is blocked at once when you call 555 0199.',
    'The current account has no monthly fee for people under thirty.',
    'Transfers within Europe arrive on the next working day.',
    'You can withdraw up to 1000 euros a day at any machine.',
    'A mortgage needs twenty percent of your own money.',
    'The branch on Main Street closes at four.',
    'Savings earn two percent interest a year.',
    'To open an account, bring your passport and proof of address.',
    'Foreign currency must be ordered two days before.',
    'Letters are answered within five working days.',
  ],
  direct: [
    ['Is there a monthly fee for the current account?', 1],
    ['When do transfers within Europe arrive?', 2],
    ['How much can I withdraw a day?', 3],
    ['What interest do savings earn?', 6],
    ['What do I bring to open an account?', 7],
    ['When does the branch on Main Street close?', 5],
  ],
  paraphrased: [
    ['Somebody stole my wallet with my credit card in it', 0],
    ['How long does it take until my payment reaches Germany?', 2],
    ['How much cash can I get out?', 3],
    ['What deposit do I need to buy a house?', 4],
    ['How much do I get for putting money aside?', 6],
    ['What papers do I need to become a customer?', 7],
    ['I need some dollars for my trip', 8],
    ['When will you reply to my mail?', 9],
  ],
  unanswerable: [
    'Do you have a swimming pool?',
    'What is the tallest mountain in the world?',
    'Can you deliver a pizza?',
    'When does the next train leave?',
    'Can I get my hair cut there?',
    'Do you sell bitcoin mining machines?',
  ],
};

export const TUNED = [CLINIC, HOTEL];
export const HELD_OUT = [INTERNET, BANK];
