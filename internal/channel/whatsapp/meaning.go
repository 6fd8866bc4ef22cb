package whatsapp

import (
	"strings"
	"time"
)

// A weight says what follows from an error of WhatsApp's.
type weight int

// The weights.
const (
	never   weight = iota // asking again is no use
	later                 // nothing was done; it may be asked again
	mended                // nothing was done until somebody changes the account or the token
	unclear               // it may have been done
)

const (
	codeToken = 190
	// codeParameter is what the Graph API says of all that it does not understand, of things
	// that the token may not see, too.
	codeParameter = 100
)

// A sense is what follows from an error, and the way out in words for people.
type sense struct {
	weight weight
	after  time.Duration // with later
	words  string
}

// proof reports whether the error is about the app's secret.
func (f *failure) proof() bool { return strings.Contains(f.Text, "appsecret_proof") }

// denied reports whether an error says that the token is not good for anything.
func denied(code int) bool {
	switch code {
	case 3, 10, 33, 102, codeToken, 131005:
		return true
	}
	return code >= 200 && code <= 299
}

// meaning says what follows from an error. The codes are those of the table under
// developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes; one
// that is not here is a no for good.
func meaning(code int) sense {
	switch code {
	case 1, 2, 131000:
		return sense{weight: unclear, words: "Something broke at WhatsApp."}
	case 4, 80007:
		return sense{later, 5 * time.Minute, "The account asked too often within an hour."}
	case 130429, 131208:
		return sense{later, 5 * time.Second, "Too many messages came at once."}
	case 131056:
		return sense{later, 30 * time.Second, "Too many messages went to one person."}
	case 131048:
		return sense{later, time.Hour, "WhatsApp takes fewer messages from this number, because people blocked or reported earlier ones. WhatsApp Manager shows its quality."}
	case 368:
		return sense{later, time.Hour, "WhatsApp has blocked the account for a while because of its policies. Business Support Home says why."}
	case 131016, 131057:
		return sense{later, time.Minute, "WhatsApp does not serve the number now."}
	case 102, codeToken:
		return sense{weight: mended, words: "The token does not hold. Make another one (Business settings, System users) and give it to the channel."}
	case 3, 10, 131005:
		return sense{weight: mended, words: "The token lacks the permission whatsapp_business_messaging, or the system user the account of the number."}
	case 33, 133010:
		return sense{weight: mended, words: "The number is gone or not registered. WhatsApp Manager shows it."}
	case 131031, 131042, 131045:
		return sense{weight: mended, words: "The account may not send: WhatsApp Manager says what it lacks (payment, certificate, a policy)."}
	}
	if code >= 200 && code <= 299 {
		return sense{weight: mended, words: "The token lacks a permission. The app's page shows which it has."}
	}
	return sense{weight: never, words: finalWords(code)}
}

// finalWords are the way out of a no for good.
func finalWords(code int) string {
	switch code {
	case codeParameter, 131008, 131009, 135000:
		return "WhatsApp does not take the message as it is."
	case 131047:
		return "The person last wrote more than 24 hours ago. When they write again it can be sent again; before that WhatsApp takes only templates, from WhatsApp Manager."
	case 131026:
		return "The person cannot be reached: the number has no WhatsApp, blocked us, or has an old version."
	case 131021:
		return "The number would write to itself."
	case 131030:
		return "A test number writes only to the numbers on its list. Add the person's under WhatsApp, API Setup on the app's page."
	case 130472, 131049, 131050:
		return "WhatsApp keeps this message from this person."
	case 130497:
		return "The account may not write to this country."
	case 131051, 131052, 131053:
		return "WhatsApp does not take a file of this kind or size."
	case 131020, 131041, 131207, 131212, 131215:
		return "The number cannot write to this group."
	case 131062:
		return "The person is known only by an id that this message cannot go to."
	}
	return ""
}
