// SitePolicy: which host names and which web sites may speak to the server.
//
// Without principals signatures are not verified, and with them a browser may have signed what it was told to. What
// keeps a web page from driving a server on its visitor's machine is this: a browser says by which name it came (Host,
// which a rebound DNS name cannot forge) and whose page asks (Origin). A Host must be loopback, the address listened on
// or a name the owner gave; an Origin must be one the owner gave. Programs send no Origin. Immutable once built, hence
// thread-safe. Asked by the dispatcher before anything else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/api_error.h"
#include "net/http_message.h"

namespace armature::auth {

class SitePolicy {
 public:
  // `bound_host` is the address listened on. Hosts are names without a port, "*" for any; origins are
  // "scheme://host[:port]" as browsers send them, "*" for any.
  SitePolicy(std::string_view bound_host, std::vector<std::string> allowed_hosts, std::vector<std::string> origins);

  // Ok, or the error (403) to answer with; nothing else may be done with the request then.
  model::ApiResult<void> Check(const net::HttpRequest& request) const;
  // Lets a page read this answer, if a page asked. REQUIRES: Check let the request pass.
  void Grant(const net::HttpRequest& request, net::HttpResponse& response) const;

  // Whether an owner's text is one the constructor understands; the message is fit for a user.
  static Status CheckHost(std::string_view host);
  static Status CheckOrigin(std::string_view origin);

 private:
  bool IsHostAllowed(std::string_view header) const;
  bool IsOriginAllowed(std::string_view origin) const;

  std::string bound_host_;
  bool allows_any_address_;  // listening on all addresses, or on a name: whoever names an address has not been rebound
  bool allows_any_host_;
  bool allows_any_origin_;
  std::vector<std::string> hosts_;
  std::vector<std::string> origins_;
};

}  // namespace armature::auth
