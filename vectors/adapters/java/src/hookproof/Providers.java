package hookproof;

import hookproof.Hookproof.Event;
import hookproof.Hookproof.Header;
import hookproof.Hookproof.Provider;
import hookproof.Hookproof.Refused;
import hookproof.Hookproof.Resource;
import hookproof.Hookproof.Signed;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Stripe by spec/stripe.md, GitHub by spec/github.md. */
public final class Providers {
    public static final Provider STRIPE = new Provider("stripe-signature", true, null, Hookproof::readTimed, Providers::stripeEvent);
    public static final Provider GITHUB = new Provider("x-hub-signature-256", false, null, Providers::readHub, Providers::gitHubEvent);

    private static final Pattern HUB_SIGNATURE = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern RFC3339 =
        Pattern.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})");

    /** S12 and S13. */
    private static Event stripeEvent(Map<?, ?> envelope, List<Header> headers) throws Refused {
        String id = Hookproof.textField(envelope, "id"), type = Hookproof.textField(envelope, "type");
        boolean snapshot = envelope.get("data") instanceof Map<?, ?>;
        Object subject = snapshot ? ((Map<?, ?>) envelope.get("data")).get("object") : envelope.get("related_object");
        return new Event(id, type, true, null, null, moment(envelope.get("created")), resource(subject, snapshot ? "object" : "type"));
    }

    private static Resource resource(Object subject, String kindName) {
        boolean named = subject instanceof Map<?, ?> members && Hookproof.isText(members.get(kindName)) && Hookproof.isText(members.get("id"));
        return named ? new Resource((String) ((Map<?, ?>) subject).get(kindName), (String) ((Map<?, ?>) subject).get("id")) : null;
    }

    /** A time as whole seconds or as RFC 3339 text; null for anything else and before 1970. */
    private static Long moment(Object value) {
        double seconds = -1;
        if (value instanceof Double number && number == Math.rint(number)) seconds = number;
        if (value instanceof String text && RFC3339.matcher(text).matches()) {
            try { // more than nine digits of a fraction are none for Java
                seconds = OffsetDateTime.parse(text.replaceFirst("\\.[0-9]+", "")).toEpochSecond();
            } catch (DateTimeException error) {
                return null;
            }
        }
        return seconds >= 0 && seconds <= Hookproof.MAX_SAFE ? (Long) (long) seconds : null;
    }

    /** G2 and G3. */
    private static Signed readHub(String value) throws Refused {
        Hookproof.refuse(!value.startsWith("sha256="), "header_malformed");
        Hookproof.refuse(!HUB_SIGNATURE.matcher(value.substring(7)).matches(), "signature_malformed");
        return new Signed(null, List.of(HexFormat.of().parseHex(value.substring(7))));
    }

    /** G10: both facts are of headers that nobody signed. */
    private static Event gitHubEvent(Map<?, ?> envelope, List<Header> headers) {
        String id = Hookproof.header(headers, "x-github-delivery"), type = Hookproof.header(headers, "x-github-event");
        return new Event("".equals(id) ? null : id, type == null ? "" : type, false, null, null, null, null);
    }
}
