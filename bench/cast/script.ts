export const SCRIPT = `# At the door
ANNA: Good evening. Is anybody there?
BEN: (whispering) Only me. Please do not turn on the light.
ANNA: Why not? I can hardly see the stairs in front of me.
BEN: The neighbours are asleep, and the baby has been crying since nine.
CARLA: Nobody is asleep any more, thank you very much!
BEN: I am so sorry, Carla. We were trying to be quiet.
# In the kitchen
CARLA: Then come in, both of you, and sit down at the table.
ANNA: That is wonderful. I have not eaten since this morning…
CARLA: There is soup, and there is bread from the bakery on the corner.
BEN: You must never tell her, but the soup was my idea.
ANNA: I heard that. Thank you, my dear friend.
CARLA: Good night, everybody. Wash the plates before you go.
`;
