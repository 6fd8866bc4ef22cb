/** sample are minutes of a day that nobody ever held, to see what becomes of minutes. */
export const sample = (day: Date) => `# Checkout weekly ${day.toISOString().slice(0, 10)}

Present: Mara Lind, Tom Okafor, Ines Costa

Sprint 4 goal: Nobody is charged twice when the network fails

## Double charges
Two customers were charged twice on Monday. The client sends the order again before the first answer comes.
- Decision: every order carries a key, and the same key is charged once
- ACTION: Tom to reject a key that was used before by Friday
- Mara will write the test that sends the same order twice by next Wednesday
- Open question: how long do we keep the keys?

## Refunds
- [ ] Ines to list what a refund needs from the bank
- Decision: refunds wait until the keys are live
`
