#include "policy/testing/reference_evaluator.h"

#include <cctype>
#include <cstdlib>
#include <ctime>
#include <set>
#include <sstream>
#include <string_view>

#include <simdjson.h>

namespace armature::policy {

namespace {

using simdjson::dom::element;
using Texts = std::vector<std::string>;

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// --- patterns: one token per character

struct Token {
  char kind;  // 'c': the character; '*' and '?'; '+': a star that ends at colons; '!': a question mark that does
  char character = 0;
};
using Pattern = std::vector<Token>;

bool Matches(const Pattern& pattern, const std::string& text, size_t p = 0, size_t t = 0) {
  if (p == pattern.size()) return t == text.size();
  const Token& token = pattern[p];
  if (token.kind == '*' || token.kind == '+') {
    if (Matches(pattern, text, p + 1, t)) return true;
    return t < text.size() && (token.kind == '*' || text[t] != ':') && Matches(pattern, text, p, t + 1);
  }
  if (t == text.size()) return false;
  const bool fits =
      token.kind == '?' || (token.kind == '!' && text[t] != ':') || (token.kind == 'c' && token.character == text[t]);
  return fits && Matches(pattern, text, p + 1, t + 1);
}

// Web identities and services.
bool IsOutsideAccounts(PrincipalKind kind) {
  return kind == PrincipalKind::kWebIdentity || kind == PrincipalKind::kService;
}

// --- one request

class Reference {
 public:
  Reference(const Request& request, const ReferenceConditions& conditions, bool has_variables)
      : request_(request), conditions_(conditions), has_variables_(has_variables) {}

  // How a matching statement names the principal: of those without Principal "none"; nullopt: it does not match.
  std::optional<std::set<std::string>> Match(element statement) const {
    if (!ActionMatches(statement) || !ResourceMatches(statement)) return std::nullopt;
    auto names = PrincipalNames(statement);
    if (!names) return std::nullopt;
    simdjson::dom::object operators;
    if (statement["Condition"].get(operators) == simdjson::SUCCESS)
      for (const auto operation : operators)
        for (const auto key : operation.value.get_object())
          if (!ConditionHolds(std::string(operation.key), Lower(std::string(key.key)), List(key.value)))
            return std::nullopt;
    return names;
  }

 private:
  static Texts List(element value) {
    Texts texts;
    simdjson::dom::array array;
    if (value.get(array) == simdjson::SUCCESS) {
      for (const element each : array) texts.push_back(List(each)[0]);
      return texts;
    }
    if (value.is_string()) return {std::string(value.get_string().value())};
    std::ostringstream text;
    text << value;
    return {text.str()};
  }
  static bool Has(element statement, std::string_view name) { return statement[name].error() == simdjson::SUCCESS; }
  static bool IsDeny(element statement) { return List(statement["Effect"].value())[0] == "Deny"; }

  // --- keys and variables

  Texts Values(const std::string& key) const {
    const Principal& who = request_.principal;
    const auto one = [](std::string_view value) { return value.empty() ? Texts{} : Texts{std::string(value)}; };
    if (key == "aws:username") return one(who.user_name);
    if (key == "aws:userid") return one(who.user_id);
    if (key == "aws:principalaccount") return one(who.account);
    if (key == "aws:principalarn" && IsOutsideAccounts(who.kind)) return {};
    if (key == "aws:principalarn") return one(who.kind == PrincipalKind::kRoleSession ? who.entity_arn : who.arn);
    const auto found = conditions_.find(key);
    return found == conditions_.end() ? Texts{} : found->second;
  }

  // The tokens of a text; nullopt: a variable has no value. Variables count from `first_variable` on.
  std::optional<Pattern> Tokens(const std::string& text, bool has_wildcards, size_t first_variable = 0) const {
    Pattern pattern;
    for (size_t i = 0; i < text.size(); ++i) {
      const size_t end = text.find('}', i);
      if (has_variables_ && i >= first_variable && text.compare(i, 2, "${") == 0 && end != std::string::npos) {
        const std::string inside = text.substr(i + 2, end - i - 2);
        i = end;
        std::string value = inside;
        if (inside != "*" && inside != "?" && inside != "$") {
          const size_t comma = inside.find(", '");
          const Texts values = Values(Lower(inside.substr(0, comma)));
          if (values.size() == 1) value = values[0];
          else if (comma != std::string::npos) value = inside.substr(comma + 3, inside.size() - comma - 4);
          else return std::nullopt;
        }
        for (const char c : value) pattern.push_back({'c', c});
      } else if (has_wildcards && (text[i] == '*' || text[i] == '?')) {
        pattern.push_back({text[i]});
      } else {
        pattern.push_back({'c', text[i]});
      }
    }
    return pattern;
  }

  // --- action and resource

  bool ActionMatches(element statement) const {
    const bool is_not = Has(statement, "NotAction");
    bool is_listed = false;
    for (const std::string& text : List(statement[is_not ? "NotAction" : "Action"].value())) {
      Pattern pattern;
      for (const char c : Lower(text)) pattern.push_back(c == '*' || c == '?' ? Token{c} : Token{'c', c});
      is_listed = is_listed || Matches(pattern, Lower(std::string(request_.action)));
    }
    return is_listed != is_not;
  }

  // 1 or 0; -1: a variable has no value.
  int ResourceFits(std::string text) const {
    const std::string resource(request_.resource);
    if (text == "*") return 1;
    for (auto colons = std::count(text.begin(), text.end(), ':'); colons < 5; ++colons) text += ":*";
    size_t last_part = 0;
    for (int i = 0; i < 5; ++i) last_part = text.find(':', last_part) + 1;
    // Stars in the middle of the first five parts end at colons.
    Pattern head;
    for (size_t i = 0; i < last_part; ++i) {
      if (text[i] == '*') head.push_back({text[i + 1] == ':' ? '*' : '+'});
      else if (text[i] == '?') head.push_back({'!'});
      else head.push_back({'c', text[i]});
    }
    const auto tail = Tokens(text.substr(last_part), true);
    if (!tail) return -1;
    head.insert(head.end(), tail->begin(), tail->end());
    return Matches(head, resource) ? 1 : 0;
  }

  bool ResourceMatches(element statement) const {
    if (!Has(statement, "Resource") && !Has(statement, "NotResource")) return true;
    const bool is_not = Has(statement, "NotResource");
    bool is_listed = false;
    bool is_unresolved = false;
    for (const std::string& text : List(statement[is_not ? "NotResource" : "Resource"].value())) {
      is_listed = is_listed || ResourceFits(text) == 1;
      is_unresolved = is_unresolved || ResourceFits(text) == -1;
    }
    if (!is_not) return is_listed;
    if (is_listed) return false;
    return !is_unresolved || IsDeny(statement);
  }

  // --- principal

  // The names by which the list has the principal.
  std::set<std::string> NamesIn(element principal) const {
    const Principal& who = request_.principal;
    std::set<std::string> names;
    if (principal.is_string()) return {"everyone"};
    for (const auto kind : principal.get_object())
      for (const std::string& text : List(kind.value)) {
        if (kind.key == "Federated" && who.kind == PrincipalKind::kWebIdentity && text == who.arn)
          names.insert("entity");
        if (kind.key == "Service" && who.kind == PrincipalKind::kService && text == who.arn) names.insert("entity");
        if (kind.key != "AWS") continue;
        const std::string account(who.account);
        const bool is_session = who.kind == PrincipalKind::kRoleSession || who.kind == PrincipalKind::kFederatedUser;
        if (text == "*") names.insert("everyone");
        if (text == account || text == "arn:aws:iam::" + account + ":root") names.insert("account");
        if (who.kind == PrincipalKind::kUser && text == who.arn) names.insert("entity");
        if (is_session && text == who.entity_arn) names.insert("entity");
        if (is_session && text == who.arn) names.insert("session");
        if (!text.empty() && text == who.unique_id) names.insert("entity");
      }
    return names;
  }

  std::optional<std::set<std::string>> PrincipalNames(element statement) const {
    if (Has(statement, "Principal")) {
      auto names = NamesIn(statement["Principal"].value());
      if (names.empty()) return std::nullopt;
      return names;
    }
    if (!Has(statement, "NotPrincipal")) return std::set<std::string>{"none"};
    const auto names = NamesIn(statement["NotPrincipal"].value());
    if (!IsDeny(statement)) return names.empty() ? std::optional(std::set<std::string>{"everyone"}) : std::nullopt;
    std::set<std::string> needed;
    if (!IsOutsideAccounts(request_.principal.kind)) needed.insert("account");
    if (request_.principal.kind != PrincipalKind::kRoot) needed.insert("entity");
    if (request_.principal.kind == PrincipalKind::kRoleSession ||
        request_.principal.kind == PrincipalKind::kFederatedUser)
      needed.insert("session");
    bool is_spared = names.contains("everyone");
    if (!is_spared) {
      is_spared = true;
      for (const std::string& name : needed) is_spared = is_spared && names.contains(name);
    }
    return is_spared ? std::nullopt : std::optional(std::set<std::string>{"none"});
  }

  // --- conditions

  static std::optional<long double> Number(const std::string& text) {
    char* end = nullptr;
    const long double value = std::strtold(text.c_str(), &end);
    const bool is_number = !text.empty() && *end == 0 && text.find_first_not_of("+-.0123456789") == std::string::npos;
    return is_number ? std::optional(value) : std::nullopt;
  }
  static std::optional<long double> Date(const std::string& text) {
    std::tm time = {};
    const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time);
    if (end != nullptr && *end == 0) return static_cast<long double>(timegm(&time));
    return text.find('.') == std::string::npos ? Number(text) : std::nullopt;
  }
  static std::optional<uint32_t> Address(const std::string& text) {
    uint32_t address = 0;
    std::istringstream in(text);
    for (int i = 0; i < 4; ++i) {
      int byte = -1;
      if (i > 0 && in.get() != '.') return std::nullopt;
      if (!(in >> byte) || byte < 0 || byte > 255) return std::nullopt;
      address = address * 256 + static_cast<uint32_t>(byte);
    }
    return in.peek() == EOF ? std::optional(address) : std::nullopt;
  }
  static bool InRange(const std::string& value, const std::string& range) {
    const size_t slash = range.find('/');
    const auto address = Address(value);
    const auto first = Address(range.substr(0, slash));
    const int bits = slash == std::string::npos ? 32 : std::atoi(range.c_str() + slash + 1);
    if (!address || !first) return false;
    for (int bit = 0; bit < bits; ++bit)
      if (((*address ^ *first) >> (31 - bit)) & 1) return false;
    return true;
  }

  static bool Compare(const std::optional<long double>& a, const std::string& relation,
                      const std::optional<long double>& b) {
    if (!a || !b) return false;
    if (relation == "Equals") return *a == *b;
    if (relation == "LessThan") return *a < *b;
    if (relation == "LessThanEquals") return *a <= *b;
    if (relation == "GreaterThan") return *a > *b;
    return *a >= *b;
  }

  // Both sides cut at their first five colons.
  static bool ArnMatches(const Pattern& pattern, const std::string& text) {
    std::vector<Pattern> parts(1);
    for (const Token& token : pattern) {
      if (token.kind == 'c' && token.character == ':' && parts.size() < 6) parts.emplace_back();
      else parts.back().push_back(token);
    }
    Texts texts(1);
    for (const char c : text) {
      if (c == ':' && texts.size() < 6) texts.emplace_back();
      else texts.back() += c;
    }
    if (parts.size() != 6 || texts.size() != 6) return false;
    for (size_t i = 0; i < 6; ++i)
      if (!Matches(parts[i], texts[i])) return false;
    return true;
  }

  // `operation` without Not, prefix and suffix.
  bool ValueMatches(const std::string& operation, const std::string& value, const std::string& wanted) const {
    if (operation.starts_with("Numeric")) return Compare(Number(value), operation.substr(7), Number(wanted));
    if (operation.starts_with("Date")) return Compare(Date(value), operation.substr(4), Date(wanted));
    if (operation == "IpAddress") return InRange(value, wanted);
    if (operation == "BinaryEquals") return value == wanted;
    const bool has_wildcards = operation == "StringLike" || operation.starts_with("Arn");
    auto pattern = Tokens(wanted, has_wildcards);
    if (!pattern) return false;
    if (operation.starts_with("Arn")) return ArnMatches(*pattern, value);
    const bool ignores_case = operation == "StringEqualsIgnoreCase" || operation == "Bool";
    if (!ignores_case) return Matches(*pattern, value);
    for (Token& token : *pattern) token.character = Lower(std::string(1, token.character))[0];
    return (operation != "Bool" || Lower(value) == "true" || Lower(value) == "false") &&
           Matches(*pattern, Lower(value));
  }

  bool ConditionHolds(std::string operation, const std::string& key, const Texts& wanted) const {
    const Texts values = Values(key);
    if (operation == "Null") {
      for (const std::string& want : wanted)
        if ((Lower(want) == "true") == values.empty()) return true;
      return false;
    }
    const bool for_all = operation.starts_with("ForAllValues:");
    const bool for_any = operation.starts_with("ForAnyValue:");
    if (for_all || for_any) operation.erase(0, operation.find(':') + 1);
    const bool if_exists = operation.ends_with("IfExists");
    if (if_exists) operation.erase(operation.size() - 8);
    const size_t negation = operation.find("Not");
    const bool is_negated = negation != std::string::npos;
    if (is_negated) operation.erase(negation, 3);
    if (values.empty()) return if_exists || for_all || (is_negated && !for_any);
    size_t holding = 0;
    for (const std::string& value : values) {
      bool is_wanted = false;
      for (const std::string& want : wanted) is_wanted = is_wanted || ValueMatches(operation, value, want);
      if (is_wanted != is_negated) ++holding;
    }
    return for_all ? holding == values.size() : holding > 0;
  }

  const Request& request_;
  const ReferenceConditions& conditions_;
  const bool has_variables_;
};

// --- the decision

// What one document says: whether it denies, and by which names it allows.
struct Said {
  bool denies = false;
  std::set<std::string> allows;
};

Said Ask(const std::string& document, const Request& request, const ReferenceConditions& conditions) {
  simdjson::dom::parser parser;
  const element root = parser.parse(document).value();
  std::string_view version;
  const bool is_new = root["Version"].get(version) == simdjson::SUCCESS && version == "2012-10-17";
  const Reference reference(request, conditions, is_new);
  Said said;
  const auto add = [&](element statement) {
    const auto names = reference.Match(statement);
    if (!names) return;
    if (statement["Effect"].get_string().value() == "Deny") said.denies = true;
    else said.allows.insert(names->begin(), names->end());
  };
  const element statements = root["Statement"].value();
  if (statements.is_array())
    for (const element statement : statements.get_array()) add(statement);
  else add(statements);
  return said;
}

}  // namespace

std::string ReferenceVerdict(const Request& request, const ReferenceConditions& conditions,
                             const ReferencePolicies& policies) {
  const auto ask_all = [&](const std::vector<std::string>& documents) {
    Said all;
    for (const std::string& document : documents) {
      const Said said = Ask(document, request, conditions);
      all.denies = all.denies || said.denies;
      all.allows.insert(said.allows.begin(), said.allows.end());
    }
    return all;
  };
  const Said identity = ask_all(policies.identity);
  const Said boundary = policies.boundary ? Ask(*policies.boundary, request, conditions) : Said();
  const Said session = ask_all(policies.session);
  const Said resource = policies.resource ? Ask(*policies.resource, request, conditions) : Said();
  const Said trust = policies.trust ? Ask(*policies.trust, request, conditions) : Said();
  if (resource.denies) return "explicit resource";
  if (trust.denies) return "explicit trust";
  if (identity.denies) return "explicit identity";
  if (boundary.denies) return "explicit boundary";
  if (session.denies) return "explicit session";

  const PrincipalKind kind = request.principal.kind;
  // Whom no account knows, nothing but the role's trust can let in.
  if (IsOutsideAccounts(kind)) return trust.allows.empty() ? "implicit trust" : "allowed";
  const bool identity_ok = kind == PrincipalKind::kRoot || !identity.allows.empty();
  const bool boundary_ok = !policies.boundary || !boundary.allows.empty();
  const bool session_ok =
      !session.allows.empty() || (policies.session.empty() && kind != PrincipalKind::kFederatedUser);
  const auto own_account = [&]() -> std::string {
    if (!identity_ok) return "implicit identity";
    if (!boundary_ok) return "implicit boundary";
    return session_ok ? "allowed" : "implicit session";
  };
  const bool is_own = request.resource_account.empty() || request.resource_account == request.principal.account;
  if (!is_own) {
    std::string own = own_account();
    if (own != "allowed") return own;
    if (policies.trust) return trust.allows.empty() ? "implicit trust" : "allowed";
    return resource.allows.empty() ? "implicit resource" : "allowed";
  }
  // The rows of the table of resource policies, the most generous first. A trust policy is one, and must allow.
  const std::set<std::string>& allows = policies.trust ? trust.allows : resource.allows;
  if (allows.contains("session")) return "allowed";
  const bool is_named = allows.contains("entity");
  const bool is_everyone = allows.contains("everyone");
  if (kind == PrincipalKind::kUser && (is_named || is_everyone)) return session_ok ? "allowed" : "implicit session";
  if (is_named || is_everyone) {
    if (!boundary_ok) return "implicit boundary";
    return session_ok ? "allowed" : "implicit session";
  }
  const std::string own = own_account();
  return own == "allowed" && policies.trust && trust.allows.empty() ? "implicit trust" : own;
}

}  // namespace armature::policy
